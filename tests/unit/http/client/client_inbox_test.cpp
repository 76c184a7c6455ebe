// The frames that a client's HTTP transport gives to the session.
#include "http/client/client_inbox.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lanyard::http {
namespace {

std::string result(int id, std::string const& text = "x") {
    return R"({"jsonrpc":"2.0","id":)" + std::to_string(id) + R"(,"result":{"text":")" + text +
           R"("}})";
}

void add(ClientInbox& inbox, std::string const& text) {
    inbox.read(text);
    inbox.add();
}

TEST(ClientInbox, a_message_is_delivered_with_its_envelope) {
    ClientInbox inbox;
    for (int round = 1; round < 20; ++round) {
        auto const text = result(round, std::string(static_cast<std::size_t>(round), 'y'));
        auto const& item = inbox.read(std::string(text));
        ASSERT_TRUE(item);
        EXPECT_EQ(item->kind, rpc::MessageKind::result);
        EXPECT_EQ(inbox.text(), text);
        EXPECT_TRUE(inbox.empty()) << "read, but not added";
        inbox.add();
        EXPECT_EQ(inbox.bytes(), text.size());
        auto const frames = inbox.take();
        // The envelope stays valid while the next messages arrive.
        inbox.read(result(77, "another text"));
        add(inbox, result(78, "another text"));
        ASSERT_EQ(frames.size(), 1U);
        EXPECT_EQ(frames[0].text, text);
        ASSERT_NE(frames[0].envelope, nullptr);
        EXPECT_EQ(frames[0].envelope->whole.raw(), text);
        EXPECT_EQ(frames[0].envelope->id->as_int64(), round);
        EXPECT_EQ(inbox.take().size(), 1U);
        EXPECT_EQ(inbox.bytes(), 0U);
    }
}

TEST(ClientInbox, many_messages_are_kept_in_order_and_only_some_with_an_envelope) {
    ClientInbox inbox;
    for (int i = 0; i < 10; ++i) add(inbox, result(i));
    auto const frames = inbox.take();
    ASSERT_EQ(frames.size(), 10U);
    int parsed = 0;
    for (std::size_t i = 0; i < frames.size(); ++i) {
        auto const text = result(static_cast<int>(i));
        EXPECT_EQ(frames[i].text, text);
        if (frames[i].envelope == nullptr) continue;
        ++parsed;
        EXPECT_EQ(frames[i].envelope->whole.raw(), text);
    }
    EXPECT_EQ(parsed, 4);
}

TEST(ClientInbox, batches_and_invalid_texts_have_no_envelope) {
    ClientInbox inbox;
    auto const batch = "[" + result(1) + "," + result(2) + "]";
    EXPECT_EQ(inbox.read(batch).value().kind, rpc::MessageKind::batch);
    EXPECT_EQ(inbox.batch().size(), 2U);
    inbox.add();
    EXPECT_FALSE(inbox.read(std::string_view("nonsense")));
    inbox.add();
    auto const frames = inbox.take();
    ASSERT_EQ(frames.size(), 2U);
    EXPECT_EQ(frames[0].text, batch);
    EXPECT_EQ(frames[0].envelope, nullptr);
    EXPECT_EQ(frames[1].text, "nonsense");
    EXPECT_EQ(frames[1].envelope, nullptr);
}

TEST(ClientInbox, of_large_messages_only_the_first_keeps_its_envelope) {
    ClientInbox inbox;
    std::string const large(100'000, 'z');
    for (int i = 0; i < 3; ++i) add(inbox, result(i, large));
    auto const frames = inbox.take();
    ASSERT_EQ(frames.size(), 3U);
    EXPECT_NE(frames[0].envelope, nullptr);
    EXPECT_EQ(frames[1].envelope, nullptr);
    EXPECT_EQ(frames[2].text, result(2, large));
    inbox.take();
    add(inbox, result(4));
    EXPECT_EQ(inbox.take()[0].text, result(4)) << "the memory of the large message was freed";
}

}  // namespace
}  // namespace lanyard::http
