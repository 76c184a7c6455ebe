// How results are shown and saved.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "expect_usage.hpp"
#include "lanyard/base64.hpp"
#include "progress_bar.hpp"
#include "save.hpp"
#include "show.hpp"
#include "stderr_printer.hpp"
#include "terminal.hpp"

namespace lanyard::app {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;

template <class T>
std::string shown(T const& value) {
    std::ostringstream out;
    show(out, value);
    return out.str();
}

TextContent text(std::string words) {
    TextContent content;
    content.text = std::move(words);
    return content;
}

ImageContent image(std::string const& bytes, std::string mime_type = "image/png") {
    ImageContent content;
    content.data = base64::encode(bytes);
    content.mime_type = std::move(mime_type);
    return content;
}

EmbeddedResource embedded() {
    TextResourceContents note;
    note.uri = "demo://note";
    note.text = "a note";
    EmbeddedResource content;
    content.resource = note;
    return content;
}

std::string file_text(fs::path const& path) {
    std::ifstream file(path, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
}

TEST(HumanSize, counts_in_thousands) {
    EXPECT_EQ(human_size(0), "0 bytes");
    EXPECT_EQ(human_size(1), "1 byte");
    EXPECT_EQ(human_size(999), "999 bytes");
    EXPECT_EQ(human_size(1200), "1.2 KB");
    EXPECT_EQ(human_size(999'949), "999.9 KB");
    EXPECT_EQ(human_size(16'000'000), "16.0 MB");
    EXPECT_EQ(human_size(5'000'000'000), "5.0 GB");
}

TEST(Signature, names_arguments_and_types) {
    auto const of = [](std::string schema) {
        return signature(RawJson::trusted(std::move(schema)));
    };
    EXPECT_EQ(of(R"({"type":"object","properties":{"a":{"type":"number"},"b":{"type":"string"}},
                     "required":["a"]})"),
              "a:number [b:string]");
    EXPECT_EQ(of(R"({"properties":{"l":{"type":"array","items":{"type":"string"}},
                     "m":{"type":"array"},"e":{"enum":["x"]},"x":{},"t":true}})"),
              "[l:string[]] [m:any[]] [e:x] [x:any] [t:any]");
    EXPECT_EQ(of(R"({"type":"object"})"), "");
    EXPECT_EQ(of("true"), "");
    EXPECT_EQ(of(R"({"properties":{"a\u001b":{"type":"\u001b[2J\u009b\u202e"}}})"),
              R"([a\x1B:\x1B[2J\x9B\u202E])");
}

TEST(Lists, are_tables) {
    Tool tool;
    tool.name = "add";
    tool.description = "Add two numbers\nand more";
    tool.input_schema = RawJson::trusted(R"({"properties":{"a":{"type":"number"}}})");
    EXPECT_EQ(shown(std::vector{tool}),
              "TOOL  ARGUMENTS   DESCRIPTION\nadd   [a:number]  Add two numbers\n");
    Resource resource;
    resource.uri = "demo://a";
    resource.name = "a";
    resource.mime_type = "text/plain";
    EXPECT_EQ(shown(std::vector{resource}),
              "RESOURCE  TYPE        NAME  DESCRIPTION\ndemo://a  text/plain  a\n");
    ResourceTemplate templated;
    templated.uri_template = "demo://{a}";
    templated.name = "a";
    templated.title = "The A";
    EXPECT_EQ(shown(std::vector{templated}),
              "TEMPLATE    TYPE  NAME   DESCRIPTION\ndemo://{a}        The A\n");
    Prompt prompt;
    prompt.name = "tip";
    PromptArgument argument;
    argument.name = "day";
    prompt.arguments = {argument};
    EXPECT_EQ(shown(std::vector{prompt}), "PROMPT  ARGUMENTS  DESCRIPTION\ntip     [day]\n");
}

TEST(Content, is_shown_by_its_kind) {
    EXPECT_EQ(shown(ContentBlock(text("hello"))), "hello\n");
    EXPECT_EQ(shown(ContentBlock(text("hello\n"))), "hello\n");
    EXPECT_EQ(shown(ContentBlock(image(std::string(1200, 'x')))), "[image/png, 1.2 KB]\n");
    AudioContent audio;
    audio.data = "not base64!";
    audio.mime_type = "audio/wav";
    EXPECT_EQ(shown(ContentBlock(audio)), "[audio/wav, 6 bytes]\n");
    ResourceLink link;
    link.resource.uri = "demo://a";
    EXPECT_EQ(shown(ContentBlock(link)), "[resource demo://a]\n");
    link.resource.name = "a";
    EXPECT_EQ(shown(ContentBlock(link)), "[resource demo://a, a]\n");
    EXPECT_EQ(shown(ContentBlock(embedded())), "[resource demo://note]\na note\n");
    BlobResourceContents blob;
    blob.blob = base64::encode("abc");
    EXPECT_EQ(shown(ResourceContents(blob)), "[binary data, 3 bytes]\n");
}

TEST(Content, is_not_shown_twice_for_one_result) {
    CallToolResult result;
    result.structured_content = RawJson::trusted(R"({"sum":3})");
    EXPECT_EQ(shown(result), "{\"sum\":3}\n");
    result.content.emplace_back(text("three"));
    EXPECT_EQ(shown(result), "three\n");
    GetPromptResult prompt;
    PromptMessage message;
    message.content = text("hi");
    prompt.messages = {message};
    EXPECT_EQ(shown(prompt), "user:\nhi\n");
}

TEST(ControlCharacters, are_made_visible) {
    EXPECT_EQ(without_control_characters("a\x1B[2Jb\n\tc\x7F\xC2\x9B grün"),
              "a\\x1B[2Jb\n\tc\\x7F\\x9B grün");
    // Characters that reorder text, and bytes that are not UTF-8.
    EXPECT_EQ(without_control_characters("a\u202Eb\u2066c\u200F\u200E\u061C"),
              "a\\u202Eb\\u2066c\\u200F\\u200E\\u061C");
    // Line breaks that are not "\n".
    EXPECT_EQ(without_control_characters("a\u2028b\u2029c"), "a\\u2028b\\u2029c");
    EXPECT_EQ(without_control_characters("\xC2|\x9B|\xE2\x80|\xF0\x9F\x98\x80"),
              "\\xC2|\\x9B|\\xE2\\x80|\xF0\x9F\x98\x80");
}

TEST(ControlCharacters, are_escaped_in_json) {
    EXPECT_EQ(escaped_json("{\"a\":\"\xC2\x9B\x7F\u202E\u2028\u200F grün\"}\n"),
              "{\"a\":\"\\u009B\\u007F\\u202E\\u2028\\u200F grün\"}\n");
    // Bytes that are not UTF-8, such as those of an HTTP reason phrase.
    EXPECT_EQ(escaped_json("{\"a\":\"\x9B|\xE2\x80\"}"), "{\"a\":\"\\uFFFD|\\uFFFD\\uFFFD\"}");
}

TEST(ControlCharacters, of_names_do_not_break_tables) {
    Tool tool;
    tool.name = "a\nb";
    tool.input_schema = RawJson::trusted(R"({"properties":{"x\nforged":{"type":"string\ny"}}})");
    EXPECT_EQ(shown(std::vector{tool}), "TOOL  ARGUMENTS   DESCRIPTION\na     [x:string]\n");
    Prompt prompt;
    prompt.name = "p";
    prompt.arguments.emplace_back().name = "x\nforged";
    EXPECT_EQ(shown(std::vector{prompt}), "PROMPT  ARGUMENTS  DESCRIPTION\np       [x]\n");
}

TEST(StderrOfServer, is_printed_with_visible_control_characters) {
    std::ostringstream out;
    StderrPrinter print(out);
    print("a\x1B[2J\n");
    // Characters in two and in four pieces.
    for (auto const* piece :
         {"\xC3", "\xA9|", "\xF0", "\x9F", "\x98", "\x80|", "\xE2\x80", "\xAE|"}) {
        print(piece);
    }
    EXPECT_EQ(out.str(), "a\\x1B[2J\n\u00E9|\xF0\x9F\x98\x80|\\u202E|");
    out.str("");
    // No further byte makes these valid.
    for (auto const* piece : {"\x80\x80\x80\x80", "\xFF", "\xC0", "\xE2", "a"}) print(piece);
    EXPECT_EQ(out.str(),
              "\\x80\\x80\\x80\\x80\\xFF\\xC0\\xE2"
              "a");
}

TEST(Json, is_indented) {
    EXPECT_EQ(indented_json(R"({"a":[1,{"b":"x{,\"\\"}],"c":{},"d":[ ]})"),
              "{\n  \"a\": [\n    1,\n    {\n      \"b\": \"x{,\\\"\\\\\"\n    }\n  ],\n"
              "  \"c\": {},\n  \"d\": []\n}");
    EXPECT_EQ(indented_json("5"), "5");
}

TEST(ProgressBar, shows_the_progress_of_a_call) {
    ProgressParams progress;
    progress.progress = 4;
    progress.total = 10;
    progress.message = "loading\nmore";
    EXPECT_EQ(progress_line(progress, 200), "[############------------------] 40 % loading");
    EXPECT_EQ(progress_line(progress, 40), "[#####--------] 40 % loading");
    EXPECT_EQ(progress_line(progress, 20), "40 % loading");
    EXPECT_EQ(progress_line(progress, 12), "40 % loa…");
    EXPECT_EQ(progress_line(progress, 3), "");
    progress.message = "進捗\t進捗進捗進捗進捗進捗";
    EXPECT_EQ(progress_line(progress, 40), "[#####--------] 40 % 進捗 進捗進捗進…");
    progress.total.reset();
    progress.message.clear();
    EXPECT_EQ(progress_line(progress, 80), "4");
}

TEST(ProgressBar, is_erased_at_the_end) {
    ProgressParams progress;
    progress.progress = 4;
    progress.total = 2;
    std::ostringstream out;
    std::size_t width = 0;
    {
        ProgressBar bar(out, true, [&] { return width; });
        bar.update(progress);
        width = 10;
        bar.update(progress);
    }
    EXPECT_EQ(out.str(), "\r\x1B[K[##########################] 100 %\r\x1B[K100 %\r\x1B[K");
    std::ostringstream none;
    ProgressBar hidden(none, false, [] { return std::size_t{80}; });
    hidden.update(progress);
    hidden.clear();
    EXPECT_EQ(none.str(), "");
}

class Saving : public testing::Test {
protected:
    Saving() {
        fs::remove_all(folder_);
        fs::create_directories(folder_);
    }
    ~Saving() override { fs::remove_all(folder_); }
    fs::path folder_ = fs::path(testing::TempDir()) / "lanyard-saving";
};

TEST_F(Saving, writes_one_file) {
    std::vector<ContentBlock> const content{text("see:"), image("PNG")};
    auto const file = (folder_ / "x.png").string();
    EXPECT_THAT(save(saveables(content), file, "picture"), ElementsAre(fs::path(file)));
    EXPECT_EQ(file_text(file), "PNG");
}

TEST_F(Saving, writes_several_into_a_folder) {
    BlobResourceContents blob;
    blob.blob = base64::encode("zip");
    blob.mime_type = "application/zip";
    EmbeddedResource with_blob;
    with_blob.resource = blob;
    AudioContent audio;
    audio.data = base64::encode("WAV");
    audio.mime_type = "audio/wav";
    std::vector<ContentBlock> const content{image("PNG"), audio, embedded(), with_blob,
                                            image("?", "image/x-odd")};
    auto const files = save(saveables(content), (folder_ / "new/").string(), "../a tool");
    EXPECT_THAT(files, ElementsAre(folder_ / "new/___a_tool-1.png", folder_ / "new/___a_tool-2.wav",
                                   folder_ / "new/___a_tool-3.bin", folder_ / "new/___a_tool-4.zip",
                                   folder_ / "new/___a_tool-5.bin"));
    EXPECT_EQ(file_text(files[2]), "a note");
    EXPECT_EQ(usage_text([&] { save(saveables(content), (folder_ / "x").string(), "a"); }),
              "the answer holds 5 files: give --output a folder (a name that ends with /)");
}

TEST_F(Saving, writes_text_if_there_is_no_other_content) {
    std::vector<ContentBlock> const content{text("hello")};
    auto const files = save(saveables(content), folder_.string(), "echo");
    EXPECT_THAT(files, ElementsAre(folder_ / "echo-1.txt"));
    EXPECT_EQ(file_text(files[0]), "hello");
    TextResourceContents note;
    note.text = "{}";
    note.mime_type = "application/json";
    std::vector<ResourceContents> const contents{note};
    EXPECT_THAT(save(saveables(contents), folder_.string(), "n"),
                ElementsAre(folder_ / "n-1.json"));
}

TEST_F(Saving, reports_content_that_cannot_be_saved) {
    EXPECT_EQ(usage_text([&] { save({}, "x", "x"); }),
              "the answer holds nothing that --output could save");
    std::vector<ContentBlock> const content{text("hello")};
    EXPECT_EQ(usage_text([&] { save(saveables(content), "/no/such/file", "x"); }),
              "'/no/such/file' cannot be written");
    ImageContent bad;
    bad.data = "!";
    std::vector<ContentBlock> const broken{bad};
    EXPECT_THROW(saveables(broken), Failure);
}

}  // namespace
}  // namespace lanyard::app
