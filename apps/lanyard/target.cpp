#include "target.hpp"

#include "lanyard/http/client.hpp"
#include "lanyard/protocol/era.hpp"
#include "lanyard/protocol/logging.hpp"
#include "lanyard/transport/child_process.hpp"
#include "lanyard/transport/stream.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <iostream>

#include "config.hpp"
#include "framing_option.hpp"
#include "nearest.hpp"
#include "stderr_printer.hpp"
#include "trace.hpp"

namespace lanyard::app {
namespace {

constexpr std::chrono::seconds longest_connect(5);
constexpr double shortest_timeout = 0.001;
constexpr double longest_timeout = 31'536'000;  // one year
constexpr std::array schemes{"http", "https", "ws", "wss", "tcp", "tls", "unix"};

/// Checks the value of --timeout; returns what is wrong with it, or nothing.
std::string check_timeout(std::string const& typed) {
    double seconds = 0;
    bool const number = CLI::detail::lexical_cast(typed, seconds);
    if (number && seconds >= shortest_timeout && seconds <= longest_timeout) return {};
    return "must be from 0.001 to 31536000 seconds, got '" + typed + "'";
}

/// Checks that an option has one of these values.
CLI::Validator one_of(std::vector<std::string> values) {
    std::string names;
    for (auto const& value : values) names += (names.empty() ? "" : ", ") + value;
    auto type = "{" + names + "}";
    std::erase(type, ' ');
    auto check = [values = std::move(values), names](std::string const& typed) -> std::string {
        if (std::ranges::find(values, typed) != values.end()) return {};
        return "there is no '" + typed + "'" + suggestion(typed, values, "there are " + names);
    };
    return CLI::Validator(std::move(check), std::move(type));
}

std::vector<std::string> log_levels() {
    auto const& names = EnumNames<LoggingLevel>::value;
    return {names.begin(), names.end()};
}

void check_url(std::string const& url, TargetOptions const& options) {
    if (options.framing) {
        usage_error("--framing is for servers that are started as a program, not for " + url);
    }
    auto scheme = url.substr(0, url.find(':'));
    std::ranges::transform(scheme, scheme.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    if (std::ranges::find(schemes, scheme) != schemes.end()) return;
    usage_error("'" + url +
                "' is not the URL of a server: it must begin with http://, https://, ws://, "
                "wss://, tcp://, tls:// or unix:");
}

std::string version_names() {
    std::string names;
    for (auto const version : all_versions) {
        names += (names.empty() ? "" : ", ") + std::string(to_string(version));
    }
    return names;
}

ChildProcessOptions process_options(ServerEntry const& entry, TargetOptions const& target) {
    ChildProcessOptions options(entry.command);
    if (!entry.working_directory.empty()) options.working_directory(entry.working_directory);
    for (auto const& [name, value] : entry.environment) options.variable(name, value);
    options.stream(framed_stream(target.framing));
    // Discards the server's stderr unless --verbose is given; error messages show its last lines
    // anyway.
    if (target.verbose) {
        options.on_stderr(StderrPrinter(std::cerr));
    } else {
        options.on_stderr([](std::string_view) {});
    }
    return options;
}

/// Adds a header that was typed as "Name: value".
void add_header(HttpClientOptions& http, std::string const& typed) {
    auto const colon = typed.find(':');
    auto const value =
        colon == std::string::npos ? colon : typed.find_first_not_of(" \t", colon + 1);
    if (colon == 0 || value == std::string::npos) {
        usage_error("'" + typed + "' is not a header: --header 'Name: value'");
    }
    http.header(typed.substr(0, colon), typed.substr(value));
}

std::optional<std::string> token_of(TargetOptions const& options) {
    if (!options.bearer_env) return std::nullopt;
    auto token = process_environment(*options.bearer_env);
    if (!token || token->empty()) {
        usage_error("the variable " + *options.bearer_env + " of --bearer-env is not set");
    }
    return token;
}

/// Applies the options that do not depend on the kind of URL.
template <class Options>
void apply_target(Options& target, TargetOptions const& options) {
    // Less than the timeout of a request, so that a server that cannot be reached is reported as
    // such, and not as one that does not answer.
    target.connect_timeout(std::min<Duration>(longest_connect, timeout_of(options) / 2));
    if (auto token = token_of(options)) target.bearer_token(*std::move(token));
    if (options.ca_file) target.ca_file(*options.ca_file);
    if (options.certificate) target.client_certificate(*options.certificate, *options.key);
    target.insecure(options.insecure);
}

std::unique_ptr<Connector> http_target(ServerEntry const& entry, TargetOptions const& options) {
    HttpClientOptions http;
    for (auto const& [name, value] : entry.headers) http.header(name, value);
    for (auto const& typed : options.headers) add_header(http, typed);
    apply_target(http, options);
    // No retries: if nothing listens at the address, the user should get the error at once.
    http.request_retries(0, std::chrono::seconds(1));
    return http_connector(entry.url, http);
}

std::unique_ptr<Connector> stream_target(ServerEntry const& entry, TargetOptions const& options) {
    if (!options.headers.empty() || !entry.headers.empty()) {
        usage_error("there are no headers but in HTTP; a token is sent with --bearer-env");
    }
    StreamClientOptions stream;
    apply_target(stream, options);
    return stream_connector(entry.url, stream);
}

void refuse_url_options(TargetOptions const& options) {
    if (options.headers.empty() && !options.bearer_env && !options.insecure && !options.ca_file &&
        !options.certificate) {
        return;
    }
    usage_error(
        "--header, --bearer-env, --insecure, --ca-file and --client-cert are for servers "
        "with a URL");
}

bool is_url(std::string const& target) {
    return target.find("://") != std::string::npos || is_stream_url(target);
}

/// Throws Failure (usage) if the target is the path of a file: the user has forgotten the "--"
/// before the program.
void refuse_file(std::string const& target, std::string_view usage) {
    std::error_code failed;
    bool const is_path = target.find('/') != std::string::npos || target.find('.') != target.npos;
    if (!is_path || is_url(target) || !std::filesystem::is_regular_file(target, failed)) return;
    auto const command = usage.substr(0, usage.find(' ', usage.find(' ') + 1));
    usage_error("'" + target +
                "' is a file, not the name or the URL of a server; put the server's " +
                "command after --, as in '" + std::string(command) + " ... -- " + target + "'");
}

}  // namespace

void declare_target_options(CLI::App& app, TargetOptions& options, Invocation& invocation,
                            std::string const& words) {
    app.add_option("words", options.words, words);
    app.add_option("--config", options.config, "Configuration file that names servers");
    app.add_flag("--json", invocation.json, "Print the result as JSON, errors as a line of JSON");
    auto const print_pretty = [&invocation](std::int64_t) {
        invocation.json = true;
        invocation.pretty = true;
    };
    app.add_flag("--pretty", print_pretty, "Print the result as JSON in several lines, indented");
    app.add_option(
           "--timeout", options.timeout_seconds,
           "Seconds to wait for an answer; progress restarts the time, up to 5 minutes in total")
        ->capture_default_str()
        ->check(CLI::Validator(check_timeout, "", "seconds"));
    app.add_option("--era", options.era, "Protocol era: auto, legacy or modern")
        ->check(one_of({"auto", "legacy", "modern"}));
    app.add_option("--protocol-version", options.protocol_version,
                   "Use this protocol revision only");
    add_framing_option(app, options.framing, "How the program after -- delimits messages");
    app.add_option("--log-level", options.log_level,
                   "Show log messages of the server from this level on")
        ->check(one_of(log_levels()));
    app.add_option("--header", options.headers,
                   "Send this header to a server with a URL: 'Name: value'; may be repeated")
        ->expected(1)
        ->take_all();
    app.add_option("--bearer-env", options.bearer_env,
                   "Variable of the environment that holds the token for a server with a URL");
    app.add_flag("--insecure", options.insecure,
                 "Do not check the server's certificate (for tests on this machine)");
    app.add_option("--ca-file", options.ca_file,
                   "Trust the certificates in this file (PEM) instead of the system's");
    auto* const certificate = app.add_option("--client-cert", options.certificate,
                                             "Show the server this certificate (PEM)");
    auto* const key = app.add_option("--client-key", options.key, "Its key (PEM)");
    certificate->needs(key);
    key->needs(certificate);
    app.add_option("--answer", options.answers,
                   "Answer a field of the server's form: name=value; may be repeated")
        ->expected(1)
        ->take_all();
    app.add_flag("--accept", options.accept,
                 "Accept what the server asks for: forms with their defaults, web pages");
    app.add_option("--model-answer", options.model_answer,
                   "Answer the server's requests to a model with this text");
    app.add_option("--root", options.roots, "Open a folder to the server; may be repeated")
        ->expected(1)
        ->take_all();
    app.add_flag("-v,--verbose", options.verbose,
                 "Show all messages and what the server writes to stderr");
}

std::optional<std::string> take_target(std::vector<std::string>& words,
                                       Invocation const& invocation, std::string_view usage) {
    if (invocation.program) return std::nullopt;
    if (words.empty()) {
        usage_error("which server? " + std::string(usage));
    }
    auto target = std::move(words.front());
    words.erase(words.begin());
    refuse_file(target, usage);
    return target;
}

std::unique_ptr<Connector> connector_for(std::optional<std::string> const& target,
                                         Invocation const& invocation,
                                         TargetOptions const& options) {
    ServerEntry entry;
    if (!target) {
        entry.command = *invocation.program;
    } else if (is_url(*target)) {
        entry.url = *target;
    } else {
        entry = find_server(*target, options.config, process_environment);
    }
    std::unique_ptr<Connector> connector;
    if (!entry.url.empty()) check_url(entry.url, options);
    if (entry.url.empty()) {
        refuse_url_options(options);
        connector = child_process(process_options(entry, options));
    } else if (is_stream_url(entry.url)) {
        connector = stream_target(entry, options);
    } else {
        connector = http_target(entry, options);
    }
    if (!options.verbose) return connector;
    return traced(std::move(connector), std::cerr);
}

Duration timeout_of(TargetOptions const& options) {
    return std::chrono::duration_cast<Duration>(
        std::chrono::duration<double>(options.timeout_seconds));
}

std::vector<Version> versions_for(TargetOptions const& options) {
    std::vector<Version> versions(all_versions.begin(), all_versions.end());
    if (options.protocol_version) {
        auto const version = parse_version(*options.protocol_version);
        if (!version) {
            usage_error("there is no protocol revision '" + *options.protocol_version +
                        "'; this build supports " + version_names());
        }
        versions = {*version};
    }
    if (options.era && *options.era != "auto") {
        auto const era = *options.era == "modern" ? Era::modern : Era::legacy;
        std::erase_if(versions, [era](Version version) { return era_of(version) != era; });
    }
    if (versions.empty()) {
        usage_error("revision " + *options.protocol_version + " is not of the " + *options.era +
                    " era");
    }
    return versions;
}

}  // namespace lanyard::app
