// The backend descriptors of the library that replaces cuDNN in tests. A program sets the
// attributes of a descriptor, then finalizes the descriptor, and then reads attributes. Another
// order is a misuse.
#include <algorithm>
#include <mutex>
#include <set>

#include "fault/cudnn/cudnn.hpp"
#include "fault/cudnn/engines.hpp"

using namespace atc::fault;

namespace {

const char* kind_name(Kind kind) {
  switch (kind) {
    case Kind::heuristics:
      return "heuristics";
    case Kind::graph:
      return "graph";
    case Kind::engine:
      return "engine";
    case Kind::knob_choice:
      return "knob choice";
    case Kind::engine_config:
      return "config";
    case Kind::plan:
      return "plan";
    case Kind::variant_pack:
      return "pack";
    default:
      return "operation";
  }
}

// The object to which a program's descriptor points.
struct Holder {
  std::shared_ptr<Node> node;
};

struct Known {
  std::mutex mutex;
  std::set<RawDescriptor> descriptors;
};

Known& known() {
  static auto* const known = new Known;
  return *known;
}

Shared shared_of(RawDescriptor descriptor) {
  return node_of(descriptor) == nullptr ? nullptr : reinterpret_cast<Holder*>(descriptor)->node;
}

// Returns a list of descriptors (`nodes`) as cuDNN does: the caller has created descriptors, and
// their contents are replaced.
Status show(const std::vector<Shared>& nodes, std::int64_t room, std::int64_t* count, void* to) {
  *count = static_cast<std::int64_t>(nodes.size());
  if (room == 0) return 0;
  if (*count > room) *count = room;
  for (std::int64_t i = 0; i < *count; ++i) {
    Node* const shown = node_of(static_cast<RawDescriptor*>(to)[i]);
    if (shown == nullptr || shown->kind != nodes[static_cast<std::size_t>(i)]->kind)
      return refuse(kBadParameter, "no descriptor of that kind to be filled");
    *shown = *nodes[static_cast<std::size_t>(i)];
  }
  return 0;
}

template <typename Number>
Status show(const std::vector<Number>& numbers, std::int64_t room, std::int64_t* count, void* to) {
  *count = static_cast<std::int64_t>(numbers.size());
  const auto shown = std::min<std::size_t>(numbers.size(), static_cast<std::size_t>(room));
  std::copy_n(numbers.begin(), shown, static_cast<Number*>(to));
  return 0;
}

bool is_f32(const Node& graph) {
  for (const Shared& operation : graph.nodes(Attribute::graph_operations))
    for (const auto& [name, value] : operation->values)
      for (const Shared& node : value.nodes)
        if (node->kind == Kind::tensor &&
            node->number<int>(Attribute::tensor_data_type) != atc::cudnn::kFloat)
          return false;
  return true;
}

}  // namespace

Status atc::fault::entered(const char* function, Kind kind) {
  return entered(std::string(function) + " " + kind_name(kind));
}

Node* atc::fault::node_of(RawDescriptor descriptor) {
  const std::lock_guard lock(known().mutex);
  if (known().descriptors.count(descriptor) == 1)
    return reinterpret_cast<Holder*>(descriptor)->node.get();
  machine().misused("a descriptor is used that was not created or is destroyed");
  return nullptr;
}

EXPORT Status cudnnBackendCreateDescriptor(Kind kind, RawDescriptor* descriptor) {
  if (const Status status = entered(__func__, kind)) return status;
  auto* const holder = new Holder{std::make_shared<Node>(kind)};
  *descriptor = reinterpret_cast<RawDescriptor>(holder);
  const std::lock_guard lock(known().mutex);
  known().descriptors.insert(*descriptor);
  machine().born("descriptor");
  return 0;
}

EXPORT Status cudnnBackendDestroyDescriptor(RawDescriptor descriptor) {
  Node* const node = node_of(descriptor);
  if (node == nullptr) return kBadParameter;
  if (node->kind == Kind::plan && !machine().script.captures.empty() && capture_mode() == 0)
    machine().misused("a plan is destroyed, and its modules with it, which breaks a capture");
  {
    const std::lock_guard lock(known().mutex);
    known().descriptors.erase(descriptor);
  }
  delete reinterpret_cast<Holder*>(descriptor);
  machine().gone("descriptor");
  return entered(__func__);
}

EXPORT Status cudnnBackendSetAttribute(RawDescriptor descriptor, Attribute attribute, Type type,
                                       std::int64_t count, const void* values) {
  Node* const node = node_of(descriptor);
  if (node == nullptr) return kBadParameter;
  if (const Status status = entered(__func__, node->kind)) return status;
  if (node->finalized) return refuse(kBadParameter, "it is finalized");
  Value value;
  value.type = type;
  if (type == Type::descriptor) {
    for (std::int64_t i = 0; i < count; ++i)
      value.nodes.push_back(shared_of(static_cast<const RawDescriptor*>(values)[i]));
    for (const Shared& set : value.nodes)
      if (set == nullptr || !set->finalized)
        return refuse(kBadParameter, "a descriptor is set that is not finalized");
  } else {
    const auto* const bytes = static_cast<const unsigned char*>(values);
    value.bytes.assign(bytes, bytes + static_cast<std::size_t>(count) * size_of(type));
  }
  node->values[attribute] = std::move(value);
  return 0;
}

EXPORT Status cudnnBackendFinalize(RawDescriptor descriptor) {
  Node* const node = node_of(descriptor);
  if (node == nullptr) return kBadParameter;
  if (const Status status = entered(__func__, node->kind)) return status;
  if (node->finalized) return refuse(kBadParameter, "it is finalized");
  switch (node->kind) {
    case Kind::engine:
      if (node->number<std::int64_t>(Attribute::engine_index) >= engine_count())
        return refuse(kNotSupported, "there is no such engine");
      break;
    case Kind::engine_config:
      if (engine_of(*node) == nullptr)
        return refuse(kNotSupported, "there is no such engine with such knobs");
      break;
    case Kind::plan: {
      if (node->has(Attribute::plan_json)) {
        const auto text = node->numbers<char>(Attribute::plan_json);
        const Shared config = config_of(std::string(text.begin(), text.end()));
        if (config == nullptr || !machine().script.loads_plans)
          return refuse(kNotSupported, "the text is of no plan here");
        node->values[Attribute::plan_config].nodes = {config};
      } else if (!is_f32(*node->node(Attribute::plan_config)
                              ->node(Attribute::config_engine)
                              ->node(Attribute::engine_graph))) {
        return refuse(kNotSupported, "the stand-in computes f32 alone");
      }
      const Engine* const engine = engine_of(*node->node(Attribute::plan_config));
      if (engine == nullptr) return kNotSupported;
      if (engine->plan_status != 0)
        return refuse(engine->plan_status, "the script says that it fails");
      break;
    }
    default:
      break;
  }
  node->finalized = true;
  return 0;
}

EXPORT Status cudnnBackendGetAttribute(RawDescriptor descriptor, Attribute attribute, Type type,
                                       std::int64_t room, std::int64_t* count, void* values) {
  const Node* const node = node_of(descriptor);
  if (node == nullptr) return kBadParameter;
  if (const Status status = entered(__func__, node->kind)) return status;
  if (!node->finalized) return refuse(kBadParameter, "it is not finalized");
  const auto one = [&](std::int64_t number) {
    return show(std::vector<std::int64_t>{number}, room, count, values);
  };
  switch (attribute) {
    case Attribute::heuristics_results:
      return show(proposals(*node), room, count, values);
    case Attribute::graph_engine_count:
      return one(engine_count());
    case Attribute::config_engine:
    case Attribute::config_knob_choices:
      return show(node->nodes(attribute), room, count, values);
    case Attribute::config_workspace_size:
      return one(engine_of(*node)->workspace);
    case Attribute::plan_workspace_size:
      return one(engine_of(*node->node(Attribute::plan_config))->workspace);
    case Attribute::plan_json: {
      const std::string text = text_of(node->node(Attribute::plan_config));
      return show(std::vector<char>(text.begin(), text.end()), room, count, values);
    }
    case Attribute::engine_numerical_notes:
      return show(engine_at(*node).numerical, room, count, values);
    case Attribute::engine_behavior_notes:
      return show(engine_at(*node).behavior, room, count, values);
    default:
      if (!node->has(attribute) || node->values.at(attribute).type != type)
        return refuse(kBadParameter, "it has no such attribute");
      if (type == Type::knob_type) return show(node->numbers<int>(attribute), room, count, values);
      return show(node->numbers<std::int64_t>(attribute), room, count, values);
  }
}
