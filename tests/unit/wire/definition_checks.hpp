// Checks of one definition of an official schema.json against the samples of a C++ type.
#pragma once

#include <gtest/gtest.h>

#include <boost/json/value.hpp>
#include <functional>
#include <iostream>
#include <map>
#include <set>

#include "lanyard/codec.hpp"
#include "lanyard/schema.hpp"
#include "support/data.hpp"
#include "unit/wire/official_schema.hpp"
#include "unit/wire/samples.hpp"
#include "wire/codec.hpp"
#include "wire/tables/error_data.hpp"
#include "wire/tables/lifecycle.hpp"
#include "wire/tables/prompts.hpp"
#include "wire/tables/resources.hpp"
#include "wire/tables/tasks.hpp"
#include "wire/tables/tools.hpp"

namespace lanyard::test {

// One definition in one revision: the validators, and the members that the samples have written.
class DefinitionCheck {
public:
    DefinitionCheck(OfficialSchema const& schema, std::string_view name)
        : schema_(schema), name_(name), open_(schema.open(name)), closed_(schema.closed(name)) {}

    Version version() const { return schema_.version(); }
    bool has_property(std::string_view property) const {
        auto const* properties = schema_.definition(name_).get_object().if_contains("properties");
        return properties != nullptr && properties->get_object().contains(property);
    }

    void validate(std::string const& text) {
        json::Document document;
        auto const view = document.parse(text);
        ASSERT_TRUE(view) << text;
        if (auto valid = open_.validate(*view); !valid) {
            ADD_FAILURE() << "invalid: " << valid.error().to_string() << "\n" << text;
        }
        if (auto valid = closed_.validate(*view); !valid) {
            ADD_FAILURE() << "not in this revision: " << valid.error().to_string() << "\n" << text;
        }
        for (auto const& [key, value] : view->members()) {
            seen_.insert(*key.as_string());
            if (*key.as_string() != "params") continue;
            for (auto const& [param, _] : value.members())
                seen_.insert("params/" + *param.as_string());
        }
        ++round_trips;
    }

    // Expects that every member the definition lists was written by a sample.
    void expect_complete() const {
        auto const* properties = schema_.definition(name_).get_object().if_contains("properties");
        if (properties == nullptr) return;
        for (auto const& property : properties->get_object()) {
            EXPECT_TRUE(seen_.contains(std::string(property.key())))
                << "no sample has " << property.key();
            auto const* params =
                property.key() == "params" ? property.value().if_object() : nullptr;
            auto const* members = params != nullptr ? params->if_contains("properties") : nullptr;
            if (members == nullptr) continue;
            for (auto const& member : members->get_object()) {
                EXPECT_TRUE(seen_.contains("params/" + std::string(member.key())))
                    << "no sample has params." << member.key();
            }
        }
    }

    int round_trips = 0;

private:
    OfficialSchema const& schema_;
    std::string_view name_;
    schema::Validator open_;
    schema::Validator closed_;
    std::set<std::string> seen_;
};

template <class T>
inline bool in_range(Sample<T> const& sample, Version version) {
    return version >= sample.since && version <= sample.until;
}

// Results whose content is never refused: content that a revision lacks is written in another form.
template <class T>
constexpr bool degrades = std::is_same_v<T, CallToolResult> || std::is_same_v<T, GetPromptResult>;

inline void expect_refused(Result<void> const& outcome, Version version) {
    if (outcome.error().is(Errc::invalid_argument)) return;
    EXPECT_TRUE(outcome.error().is(Errc::unsupported_in_era)) << outcome.error().what();
    EXPECT_NE(outcome.error().message().find(to_string(version)), std::string::npos)
        << outcome.error().message();
}

using Check = std::function<void(DefinitionCheck&)>;

// Writes, validates, reads and compares each sample. `encode` writes the text of the value; `frame`
// adds the parts around it that belong to the definition.
template <class T, class Encode, class Decode>
inline void check_samples(DefinitionCheck& check, Encode encode, Decode decode,
                          std::function<std::string(std::string)> frame) {
    bool any = false;
    for (auto const& sample : samples<T>()) {
        std::string text;
        auto const written = encode(sample.value, text);
        if (!in_range(sample, check.version())) {
            if (!written.has_value()) continue;
            if (!*written) {
                expect_refused(*written, check.version());
            } else if (degrades<T>) {
                check.validate(frame(text));
            }
            continue;
        }
        any = true;
        if (written && !*written) {
            ADD_FAILURE() << "refused: " << written->error().what();
            continue;
        }
        check.validate(frame(text));
        json::Document document;
        auto const decoded = decode(*document.parse(text));
        if (!decoded) {
            ADD_FAILURE() << "not read: " << decoded.error().to_string() << "\n" << text;
            continue;
        }
        // The first pass removed the members that the revision lacks; a second one changes nothing.
        std::string again;
        auto const rewritten = encode(*decoded, again);
        EXPECT_TRUE(!rewritten || *rewritten);
        EXPECT_EQ(again, text);
    }
    EXPECT_TRUE(any) << "no sample for this revision";
    check.expect_complete();
}

inline std::string same(std::string text) {
    return text;
}

template <class T>
inline Check value() {
    return [](DefinitionCheck& check) {
        auto const version = check.version();
        check_samples<T>(
            check,
            [&](T const& value, std::string& out) -> std::optional<Result<void>> {
                json::Writer writer(out);
                encode(writer, value, {version});
                return std::nullopt;
            },
            [&](json::View view) { return decode<T>(view, version); }, same);
    };
}

inline wire::RequestStamp request_stamp(Version version) {
    return {.version = version,
            .client_capabilities =
                wire::encode_capabilities(samples<ClientCapabilities>()[2].value, version),
            .client_info = wire::encode_implementation(samples<Implementation>()[1].value, version),
            .log_level = LoggingLevel::debug};
}

inline wire::ResultStamp result_stamp(Version version) {
    return {.version = version,
            .server_info = wire::encode_implementation(samples<Implementation>()[1].value, version),
            .subscription_id = std::nullopt};
}

template <class T>
inline void check_params(DefinitionCheck& check, std::function<std::string(std::string)> frame) {
    auto const version = check.version();
    check_samples<T>(
        check,
        [&](T const& value, std::string& out) -> std::optional<Result<void>> {
            json::Writer writer(out);
            return wire::encode_params(writer, value, request_stamp(version));
        },
        [&](json::View view) { return wire::decode_params<T>(view, version); }, frame);
}

template <class T>
inline void check_result(DefinitionCheck& check, std::function<std::string(std::string)> frame,
                         std::optional<RequestId> subscription = std::nullopt) {
    auto const version = check.version();
    auto stamp = result_stamp(version);
    stamp.subscription_id = subscription;
    check_samples<T>(
        check,
        [&](T const& value, std::string& out) -> std::optional<Result<void>> {
            json::Writer writer(out);
            return wire::encode_result(writer, value, stamp);
        },
        [&](json::View view) { return wire::decode_result<T>(view, version); }, frame);
}

template <class T>
inline void check_notification(DefinitionCheck& check,
                               std::function<std::string(std::string)> frame) {
    auto const version = check.version();
    check_samples<T>(
        check,
        [&](T const& value, std::string& out) -> std::optional<Result<void>> {
            json::Writer writer(out);
            return wire::encode_notification(writer, value, {version, RequestId("s")});
        },
        [&](json::View view) { return wire::decode_notification<T>(view, version); }, frame);
}

// Adds the parts of the message around the params that the definition describes.
inline auto message(DefinitionCheck const& check, std::string_view method) {
    return [&check, method](std::string params) {
        std::string text = "{";
        if (check.has_property("jsonrpc")) text += R"("jsonrpc":"2.0",)";
        if (check.has_property("id")) text += R"("id":1,)";
        text += R"("method":")" + std::string(method) + R"(","params":)";
        return text + params + "}";
    };
}

template <class Method>
inline Check request() {
    return [](DefinitionCheck& check) {
        check_params<typename Method::Params>(check, message(check, Method::info.name));
    };
}

// A request that is embedded in a result since 2026-07-28.
template <class Method>
inline Check embedded_request() {
    return [](DefinitionCheck& check) {
        if (era_of(check.version()) == Era::legacy) return request<Method>()(check);
        using Params = typename Method::Params;
        auto const version = check.version();
        check_samples<Params>(
            check,
            [&](Params const& value, std::string& out) -> std::optional<Result<void>> {
                json::Writer writer(out);
                encode(writer, value, {version});
                return std::nullopt;
            },
            [&](json::View view) { return decode<Params>(view, version); },
            message(check, Method::info.name));
    };
}

template <class Method>
inline Check params() {
    return [](DefinitionCheck& check) { check_params<typename Method::Params>(check, same); };
}

template <class Method>
inline Check notification() {
    return [](DefinitionCheck& check) {
        check_notification<typename Method::Params>(check, message(check, Method::info.name));
    };
}

template <class Method>
inline Check notification_params() {
    return [](DefinitionCheck& check) { check_notification<typename Method::Params>(check, same); };
}

template <class T>
inline Check result() {
    return [](DefinitionCheck& check) { check_result<T>(check, same); };
}

template <class T>
inline Check embedded_result() {
    return [](DefinitionCheck& check) {
        if (era_of(check.version()) == Era::legacy) return result<T>()(check);
        return value<T>()(check);
    };
}

template <class T>
inline Check response() {
    return [](DefinitionCheck& check) {
        check_result<T>(check, [](std::string result) {
            return R"({"jsonrpc":"2.0","id":1,"result":)" + result + "}";
        });
    };
}

template <class T>
inline Check error(std::int64_t code) {
    return [code](DefinitionCheck& check) {
        auto const version = check.version();
        check_samples<T>(
            check,
            [&](T const& value, std::string& out) -> std::optional<Result<void>> {
                out = wire::encode_error_data(value, version).text();
                return std::nullopt;
            },
            [&](json::View view) { return wire::decode_error_data<T>(view, version); },
            [code](std::string data) {
                return R"({"jsonrpc":"2.0","id":1,"error":{"code":)" + std::to_string(code) +
                       R"(,"message":"m","data":)" + data + "}}";
            });
    };
}

template <class E>
inline Check words() {
    return [](DefinitionCheck& check) {
        for (auto const name : EnumNames<E>::value) {
            check.validate("\"" + std::string(name) + "\"");
        }
    };
}

}  // namespace lanyard::test
