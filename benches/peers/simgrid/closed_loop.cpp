// The closed-loop benchmark on SimGrid, through its public S4U interface: the peer of `examples/closed_loop`.
//
// Usage: closed_loop a|b|c|d|hard|hard-400 [--same-socket] [--completions K] [--actors] [--cfg=...]
//
// Prints one JSON line in the same shape. A read is a one-sided communication from the host of a socket to
// the host of a client. Threads are driven in one of two ways. By default the callback that tells of a
// communication's end starts the next one: SimGrid's quickest way, for no actor is switched to. With
// `--actors` every thread is an actor that waits for each of its reads, as SimGrid's tutorials do it.
//
// Payloads are whole numbers, so sizes are counted in parts of a byte and capacities scaled with them, by a
// power of two, which is exact.

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <simgrid/s4u.hpp>

namespace sg4 = simgrid::s4u;

namespace {

constexpr uint64_t parts_of_a_byte = 1024;

struct Case {
  std::string name;
  int clients = 0;
  int threads = 0;
  uint64_t bytes = 0;
  uint64_t completions = 0;
  bool hard = false;
  bool same_socket = false;
  bool actors = false;
};

std::optional<Case> case_named(const std::string& name) {
  static const std::map<std::string, Case> cases = {
      {"a", {"a", 20, 10, 1 << 20, 100'000}},
      {"b", {"b", 20, 100, 4096, 200'000}},
      {"c", {"c", 400, 10, 1 << 20, 200'000}},
      {"d", {"d", 1000, 10, 1 << 20, 200'000}},
      {"hard", {"hard", 20, 10, 1 << 20, 5'000, true}},
      {"hard-400", {"hard-400", 400, 10, 1 << 20, 50'000, true}},
  };
  const auto found = cases.find(name);
  return found == cases.end() ? std::nullopt : std::optional<Case>(found->second);
}

[[noreturn]] void usage() {
  std::fputs("usage: closed_loop a|b|c|d|hard|hard-400 [--same-socket] [--completions K] [--actors]\n", stderr);
  std::exit(2);
}

Case parse(int argc, char** argv) {
  if (argc < 2) usage();
  auto chosen = case_named(argv[1]);
  if (!chosen) usage();
  for (int i = 2; i < argc; ++i) {
    if (std::strcmp(argv[i], "--same-socket") == 0) {
      chosen->same_socket = true;
    } else if (std::strcmp(argv[i], "--actors") == 0) {
      chosen->actors = true;
    } else if (std::strcmp(argv[i], "--completions") == 0 && i + 1 < argc) {
      chosen->completions = std::strtoull(argv[++i], nullptr, 10);
    } else {
      usage();
    }
  }
  return *chosen;
}

// The graph: a host for every socket and every client, and the route of a read from each to each.
struct Graph {
  std::vector<sg4::Host*> sockets;
  std::vector<sg4::Host*> clients;
};

Graph build(const Case& chosen) {
  auto* zone = sg4::create_full_zone("server");
  auto link = [zone](const std::string& name, double bytes_per_second) {
    return zone->create_link(name, bytes_per_second * parts_of_a_byte)->seal();
  };
  auto several = [&link](const std::string& name, int count, double speed) {
    std::vector<sg4::Link*> links;
    for (int i = 0; i < count; ++i) links.push_back(link(name + std::to_string(i), speed));
    return links;
  };
  sg4::Link* hops[4][4] = {};
  for (auto [from, to] : {std::pair{0, 1}, {1, 0}, {0, 2}, {2, 0}, {1, 3}, {3, 1}, {2, 3}, {3, 2}})
    hops[from][to] = link("link" + std::to_string(from) + std::to_string(to), chosen.hard ? 0.4e9 : 4e9);
  const auto memory = several("memory", 4, 10.6e9);
  const auto bridges = several("bridge", 2, 4e9);
  const auto slots = several("slot", 2, 1.45e9);
  const auto ports = several("port", 4, 1.25e9);

  Graph graph;
  for (int socket = 0; socket < 4; ++socket)
    graph.sockets.push_back(zone->create_host("socket" + std::to_string(socket), 1e9)->seal());
  for (int client = 0; client < chosen.clients; ++client) {
    auto* host = zone->create_host("client" + std::to_string(client), 1e9)->seal();
    graph.clients.push_back(host);
    auto* down = link("down" + std::to_string(client), 0.125e9 * (chosen.hard ? 1 + client % 5 : 1));
    const int port = client % 4;
    const int bridge = port / 2;
    for (int socket = 0; socket < 4; ++socket) {
      std::vector<sg4::LinkInRoute> route{sg4::LinkInRoute(memory[socket])};
      int at = socket;
      for (int bit : {1, 2}) {
        if (((at ^ (3 * bridge)) & bit) != 0) {
          route.emplace_back(hops[at][at ^ bit]);
          at ^= bit;
        }
      }
      for (auto* next : {bridges[bridge], slots[bridge], ports[port], down}) route.emplace_back(next);
      zone->add_route(graph.sockets[socket]->get_netpoint(), host->get_netpoint(), nullptr, nullptr, route, false);
    }
  }
  zone->seal();
  return graph;
}

struct Thread {
  uint64_t random = 0;
  uint64_t issued = 0;
  uint64_t parts = 0;
  double started = 0;
};

class ClosedLoop {
public:
  ClosedLoop(Case chosen, Graph graph) : case_(std::move(chosen)), graph_(std::move(graph)) {
    threads_.resize(static_cast<size_t>(case_.clients) * case_.threads);
    for (size_t t = 0; t < threads_.size(); ++t) threads_[t].random = (t + 1) * 0x9E3779B97F4A7C15ULL;
  }

  size_t threads() const { return threads_.size(); }

  // Draws the next read of a thread: from where and how much.
  std::pair<sg4::Host*, uint64_t> draw(size_t t) {
    auto& thread = threads_[t];
    thread.random = thread.random * 6364136223846793005ULL + 1442695040888963407ULL;
    const uint64_t mean = case_.bytes * parts_of_a_byte;
    const uint64_t spread = mean / 10;
    thread.parts = mean - spread + (thread.random >> 32) % (2 * spread + 1);
    const size_t socket = case_.same_socket ? t % 4 : (t + thread.issued) % 4;
    ++thread.issued;
    thread.started = sg4::Engine::get_clock();
    return {graph_.sockets[socket], thread.parts};
  }

  sg4::Host* client(size_t t) const { return graph_.clients[t / case_.threads]; }

  void start_clock() { wall_start_ = std::chrono::steady_clock::now(); }

  // Notes that the read of a thread is done. At the last, reports and ends the program: what SimGrid does with
  // the flows still under way is none of the benchmark's business.
  void complete(size_t t) {
    const auto& thread = threads_[t];
    parts_ += thread.parts;
    durations_ += sg4::Engine::get_clock() - thread.started;
    if (++completions_ == case_.completions) report();
  }

private:
  [[noreturn]] void report() const {
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - wall_start_;
    std::printf("{\"case\":\"%s\",\"completions\":%llu,\"wall_s\":%.9e,\"completions_per_s\":%.0f,\"t_k\":%.14e,"
                "\"bytes\":%.14e,\"mean_duration\":%.14e,\"peak_rss_bytes\":%llu}\n",
                case_.name.c_str(), static_cast<unsigned long long>(completions_), wall.count(),
                completions_ / wall.count(), sg4::Engine::get_clock(),
                static_cast<double>(parts_) / parts_of_a_byte, durations_ / completions_,
                static_cast<unsigned long long>(peak_rss_bytes()));
    std::fflush(stdout);
    std::_Exit(0);
  }

  static uint64_t peak_rss_bytes() {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);)
      if (line.rfind("VmHWM:", 0) == 0) return std::strtoull(line.c_str() + 6, nullptr, 10) * 1024;
    return 0;
  }

  Case case_;
  Graph graph_;
  std::vector<Thread> threads_;
  uint64_t completions_ = 0;
  unsigned __int128 parts_ = 0;
  double durations_ = 0;
  std::chrono::steady_clock::time_point wall_start_;
};

// Every thread is an actor.
void drive_by_actors(ClosedLoop& loop) {
  for (size_t t = 0; t < loop.threads(); ++t)
    sg4::Actor::create("thread", loop.client(t), [&loop, t] {
      for (;;) {
        const auto [from, parts] = loop.draw(t);
        sg4::Comm::sendto(from, loop.client(t), parts);
        loop.complete(t);
      }
    });
}

// The end of each communication starts the thread's next.
void drive_by_callbacks(ClosedLoop& loop) {
  using simgrid::kernel::resource::Action;
  using simgrid::kernel::resource::NetworkAction;
  static std::unordered_map<const void*, size_t> thread_of;
  auto issue = [&loop](size_t t) {
    const auto [from, parts] = loop.draw(t);
    auto read = sg4::Comm::sendto_init(from, loop.client(t));
    read->set_payload_size(parts);
    read->detach();
    thread_of[read->get_impl()] = t;
  };
  sg4::Link::on_communication_state_change_cb([&loop, issue](NetworkAction& network_action, Action::State) {
    // An action of the network is an Action before all else, but the header that says so is not installed.
    const auto& action = reinterpret_cast<const Action&>(network_action);
    if (action.get_state() != Action::State::FINISHED) return;
    const auto found = thread_of.find(action.get_activity());
    const size_t t = found->second;
    thread_of.erase(found);
    loop.complete(t);
    issue(t);
  });
  // The engine runs as long as there is an actor: one that issues the first reads and sleeps.
  sg4::Actor::create("starter", loop.client(0), [&loop, issue] {
    for (size_t t = 0; t < loop.threads(); ++t) issue(t);
    sg4::this_actor::sleep_for(1e9);
  });
}

} // namespace

int main(int argc, char** argv) {
  sg4::Engine engine(&argc, argv);
  // Pure max-min sharing: no TCP, no factors on bandwidth, no traffic of acknowledgements. The full algorithm
  // is the faster one here: lazy updates cost more than they save where a change reaches most flows.
  for (const char* setting :
       {"network/model:CM02", "network/optim:Full", "network/TCP-gamma:0", "network/crosstraffic:no",
        "network/bandwidth-factor:1", "network/latency-factor:1", "network/weight-S:0"})
    sg4::Engine::set_config(setting);
  const Case chosen = parse(argc, argv);
  ClosedLoop loop(chosen, build(chosen));

  loop.start_clock();
  if (chosen.actors)
    drive_by_actors(loop);
  else
    drive_by_callbacks(loop);
  engine.run();
  return 1; // The last completion ends the program; a run that dries up before has failed.
}
