#include "sockets/tls_source.hpp"

#include <sys/stat.h>

namespace lanyard::sockets {
namespace {

TlsContext take(Result<TlsContext> result) {
    if (!result) throw Error(result.error());
    return *std::move(result);
}

}  // namespace

TlsSource::TlsSource(TlsOptions options, bool http)
    : options_(std::move(options)), http_(http), stamps_(look()), context_(take(load())) {}

Result<TlsContext> TlsSource::load() const {
    return TlsContext::server(
        {options_.certificate_file(), options_.key_file(), options_.client_authorities(), http_});
}

TlsSource::Stamps TlsSource::look() const {
    Stamps stamps;
    std::size_t at = 0;
    for (auto const* const file :
         {&options_.certificate_file(), &options_.key_file(), &options_.client_authorities()}) {
        struct stat status{};
        if (!file->empty() && ::stat(file->c_str(), &status) == 0) {
            stamps[at] = {status.st_mtim.tv_sec, status.st_mtim.tv_nsec, status.st_ino};
        }
        ++at;
    }
    return stamps;
}

TlsContext TlsSource::current() const {
    std::lock_guard const lock(mutex_);
    return context_;
}

Result<void> TlsSource::reload() {
    auto const stamps = look();
    auto loaded = load();
    std::lock_guard const lock(mutex_);
    stamps_ = stamps;
    if (!loaded) return Unexpected(loaded.error());
    context_ = *std::move(loaded);
    return {};
}

std::optional<Result<void>> TlsSource::check(TimePoint now) {
    {
        std::lock_guard const lock(mutex_);
        if (options_.check_interval() <= Duration::zero() || now < next_check_) return std::nullopt;
        next_check_ = now + options_.check_interval();
        if (look() == stamps_) return std::nullopt;
    }
    return reload();
}

}  // namespace lanyard::sockets
