#include "http/server/loop_set.hpp"

#include <charconv>
#include <iterator>
#include <utility>

#include "http/server/forwarding.hpp"
#include "http/server/server_loop.hpp"
#include "runtime/post.hpp"

namespace lanyard::http {
namespace {

// A connection that has moved this often is not moved again.
constexpr unsigned max_moves = 4;

void append_chunk(std::string& out, std::string_view data) {
    char size[16];
    auto const end = std::to_chars(std::begin(size), std::end(size), data.size(), 16).ptr;
    out.append(size, end).append("\r\n").append(data).append("\r\n");
}

}  // namespace

std::string text_of(HttpRequest const& request) {
    std::string text;
    text.reserve(request.head.text.size() + request.body.size() + 32);
    text.append(request.head.text);
    if (request.head.body.kind == BodyFraming::Kind::chunked) {
        if (!request.body.empty()) append_chunk(text, request.body);
        text.append("0\r\n\r\n");
    } else {
        text.append(request.body);
    }
    return text;
}

// Takes the connection from the loop on which its request has arrived, and adds it to the other
// loop, which reads the request again.
class LoopSet::Move final : public Upgrade {
public:
    Move(Target target, std::string request)
        : target_(std::move(target)), request_(std::move(request)) {}

    std::shared_ptr<LoopMember> take(LeavingConnection leaving) override {
        leaving.unread.insert(0, request_);
        ++leaving.moves;
        auto const connection = std::make_shared<LeavingConnection>(std::move(leaving));
        connection->loop = nullptr;
        runtime::post_always(target_.executor, [to = target_.loop, connection] {
            if (auto const loop = to.lock()) loop->adopt(std::move(*connection));
        });
        return nullptr;
    }
    void start() override {}

private:
    Target target_;
    std::string request_;
};

void LoopSet::add(std::shared_ptr<ServerLoop> const& loop) {
    loops_.push_back({loop->executor(), loop});
}

bool LoopSet::pass(std::size_t from, std::size_t to, HttpRequest const& request, Reply& reply) {
    auto const& target = loops_[to];
    auto const loop = target.loop.lock();
    if (!loop || loop->ended_early()) return false;
    if (request.moves < max_moves) {
        reply.upgrade(std::make_unique<Move>(target, text_of(request)));
    } else {
        forward(loops_[from].executor, target.executor, target.loop, request, reply);
    }
    return true;
}

}  // namespace lanyard::http
