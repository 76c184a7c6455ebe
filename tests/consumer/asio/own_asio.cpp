// Compiled with the program's own settings of Asio, and without any compiler flag of Lanyard.
// OWN_TLS adds asio::ssl. OWN_TLS_SOURCE compiles the part of asio::ssl that has to be compiled
// once.
#include "own_asio.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>

#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/write.hpp>

#ifdef OWN_TLS
#include <openssl/evp.h>
#include <openssl/x509.h>
#include <boost/asio/local/connect_pair.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/ssl.hpp>
#endif
#ifdef OWN_TLS_SOURCE
#include <boost/asio/ssl/impl/src.hpp>
#endif

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

namespace own {
namespace {

std::mutex mutex;
std::string done;

// Several timers, one of which is cancelled.
class Timers : public std::enable_shared_from_this<Timers> {
public:
    explicit Timers(asio::io_context& context) : ticks_(context), never_(context) {}

    void start() {
        never_.expires_after(std::chrono::hours(1));
        never_.async_wait([self = shared_from_this()](error_code const& error) {
            self->cancelled_ = error == asio::error::operation_aborted;
            self->end();
        });
        tick();
    }

private:
    void tick() {
        ticks_.expires_after(std::chrono::milliseconds(2));
        ticks_.async_wait([self = shared_from_this()](error_code const& error) {
            if (error) return;
            if (++self->count_ < 20) {
                self->tick();
            } else {
                self->never_.cancel();
            }
        });
    }
    void end() {
        if (cancelled_ && count_ == 20) report("timers");
    }

    asio::steady_timer ticks_;
    asio::steady_timer never_;
    int count_ = 0;
    bool cancelled_ = false;
};

// A connection to the program itself: the sent bytes are received, then the end is reported as the
// error eof.
class Sockets : public std::enable_shared_from_this<Sockets> {
public:
    explicit Sockets(asio::io_context& context)
        : acceptor_(context, {asio::ip::address_v4::loopback(), 0}),
          near_(context),
          far_(context) {}

    void start() {
        acceptor_.async_accept(far_, [self = shared_from_this()](error_code const& error) {
            if (!error) self->echo();
        });
        near_.async_connect(acceptor_.local_endpoint(),
                            [self = shared_from_this()](error_code const& error) {
                                if (!error) self->send();
                            });
    }

private:
    void echo() {
        asio::async_read(far_, asio::buffer(request_),
                         [self = shared_from_this()](error_code error, std::size_t size) {
                             if (error) return;
                             asio::write(self->far_, asio::buffer(self->request_, size), error);
                             self->far_.close();
                         });
    }
    void send() {
        error_code error;
        asio::write(near_, asio::buffer("0123456789abcdef", request_.size()), error);
        asio::async_read(near_, asio::buffer(response_),
                         [self = shared_from_this()](error_code error, std::size_t size) {
                             bool const whole =
                                 size == self->request_.size() && self->response_[15] == 'f';
                             if (whole && error == asio::error::eof) report("sockets");
                         });
    }

    tcp::acceptor acceptor_;
    tcp::socket near_;
    tcp::socket far_;
    std::array<char, 16> request_{};
    std::array<char, 32> response_{};
};

// Resolves a text that is not an address, which fails with an error of another category.
class Resolver : public std::enable_shared_from_this<Resolver> {
public:
    explicit Resolver(asio::io_context& context) : resolver_(context) {}

    void start() {
        resolver_.async_resolve("not a host", "80", tcp::resolver::numeric_host,
                                [self = shared_from_this()](error_code const& error, auto const&) {
                                    if (error == asio::error::host_not_found) report("resolver");
                                });
    }

private:
    tcp::resolver resolver_;
};

// Handlers that must not run at the same time.
class Strand : public std::enable_shared_from_this<Strand> {
public:
    explicit Strand(asio::io_context& context) : strand_(asio::make_strand(context)) {}

    void start() {
        for (int i = 0; i < handlers; ++i) {
            asio::post(strand_, [self = shared_from_this()] { self->run(); });
        }
    }

private:
    static constexpr int handlers = 100;

    void run() {
        bool const alone = inside_.fetch_add(1) == 0 && strand_.running_in_this_thread();
        stateless_ += alone ? 1 : 0;
        --inside_;
        if (++count_ == handlers && stateless_ == handlers) report("strand");
    }

    asio::strand<asio::io_context::executor_type> strand_;
    std::atomic<int> inside_ = 0;
    int count_ = 0;
    int stateless_ = 0;
};

#ifdef OWN_TLS
// Two ends of a TLS connection.
class Tls : public std::enable_shared_from_this<Tls> {
public:
    explicit Tls(asio::io_context& context)
        : certified_(certified()),
          client_(asio::ssl::context::tls_client),
          far_(context, certified_),
          near_(context, client_) {
        asio::local::connect_pair(near_.next_layer(), far_.next_layer());
    }

    void start() {
        far_.async_handshake(asio::ssl::stream_base::server,
                             [self = shared_from_this()](error_code error) {
                                 if (error) return;
                                 asio::write(self->far_, asio::buffer("secret", 6), error);
                                 // Closes the socket without a TLS shutdown.
                                 self->far_.next_layer().close();
                             });
        near_.async_handshake(asio::ssl::stream_base::client,
                              [self = shared_from_this()](error_code const& error) {
                                  if (!error) self->read();
                              });
    }

private:
    void read() {
        asio::async_read(
            near_, asio::buffer(bytes_),
            [self = shared_from_this()](error_code const& error, std::size_t size) {
                bool const whole = std::string(self->bytes_.data(), size) == "secret";
                bool const cut = error == asio::ssl::error::stream_truncated;
                if (whole && cut && error.category() == asio::ssl::error::get_stream_category())
                    report("tls");
            });
    }

    // A context with a self-signed certificate, which the client does not verify.
    static asio::ssl::context certified() {
        std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> const key(EVP_EC_gen("P-256"),
                                                                      &EVP_PKEY_free);
        std::unique_ptr<X509, decltype(&X509_free)> const certificate(X509_new(), &X509_free);
        X509_gmtime_adj(X509_getm_notBefore(certificate.get()), 0);
        X509_gmtime_adj(X509_getm_notAfter(certificate.get()), 3600);
        X509_set_pubkey(certificate.get(), key.get());
        X509_sign(certificate.get(), key.get(), EVP_sha256());
        asio::ssl::context context(asio::ssl::context::tls_server);
        SSL_CTX_use_certificate(context.native_handle(), certificate.get());
        SSL_CTX_use_PrivateKey(context.native_handle(), key.get());
        return context;
    }

    using Stream = asio::ssl::stream<asio::local::stream_protocol::socket>;

    asio::ssl::context certified_;
    asio::ssl::context client_;
    Stream far_;
    Stream near_;
    std::array<char, 32> bytes_{};
};
#endif

}  // namespace

void start(asio::io_context& context) {
    std::make_shared<Timers>(context)->start();
    std::make_shared<Sockets>(context)->start();
    std::make_shared<Resolver>(context)->start();
    std::make_shared<Strand>(context)->start();
    start_beast(context);
#ifdef OWN_TLS
    std::make_shared<Tls>(context)->start();
#endif
}

void report(std::string const& part) {
    std::lock_guard const lock(mutex);
    done += (done.empty() ? "" : " ") + part;
}

std::string outcome() {
    std::lock_guard const lock(mutex);
    return done;
}

}  // namespace own
