// A window and a server in one program: docs/cookbook.md. The test compiles it with the stand-ins
// for Qt in the folder qt.
// [program]
#include <lanyard/server.hpp>  // before Qt, or define QT_NO_KEYWORDS

#include <thread>

#include <QApplication>
#include <QLabel>

struct Text {
    std::string text;
};
LANYARD_STRUCT(Text, (text, "What to show"))

int main(int argc, char** argv) {
    QApplication app(argc, argv);
    QLabel label("nothing yet");
    label.show();

    lanyard::Server server{"window", "1.0.0"};
    // Handlers, filters and middleware run on the thread of the user interface.
    server.executor([&app](std::function<void()> work) {
        QMetaObject::invokeMethod(&app, std::move(work), Qt::QueuedConnection);
    });
    server.tool("show", "Show a text in the window",
                [&label](Text in) { label.setText(QString::fromStdString(in.text)); });
    server.tool("read", "Read the text in the window",
                [&label] { return label.text().toStdString(); });

    std::thread connections([&server, &app] {
        server.run(lanyard::stdio());  // or lanyard::listen("http://127.0.0.1:8080/mcp")
        QMetaObject::invokeMethod(&app, [] { QApplication::quit(); }, Qt::QueuedConnection);
    });
    int const code = QApplication::exec();
    server.stop();  // if the user closed the window
    connections.join();
    return code;
}
// [/program]
