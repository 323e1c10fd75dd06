import { asObject, asText, type ExportedObject, isObject } from "../json/values.ts";

/** A node of a conversation with a message. */
export interface MessageNode {
  readonly node_id: string;
  readonly message: ExportedObject;
  /** The nearest ancestor with a message. */
  readonly parent_id?: string | undefined;
  /** Undefined if the conversation does not say which branch the application shows. */
  readonly is_current?: boolean | undefined;
}

/** A conversation's tree with all its branches. */
export interface ConversationTree {
  readonly nodes: readonly MessageNode[];
  readonly branch_count: number;
  readonly current_id?: string | undefined;
}

/** Reads the nodes with a message, in the order of the export. */
export function readTree(conversation: ExportedObject): ConversationTree {
  const mapping = new Map(Object.entries(asObject(conversation.mapping)).filter(isNode));
  const current = asText(conversation.current_node);
  const shown = new Set(current === undefined ? [] : walkUp(mapping, current));
  const parents = new Map([...mapping.keys()].map((id) => [id, findParent(mapping, id)]));
  const answered = new Set(parents.values());
  const carriers = [...mapping].filter(([, { message }]) => isObject(message));
  return {
    nodes: carriers.map(([node_id, { message }]) => ({
      node_id,
      message: asObject(message),
      parent_id: parents.get(node_id),
      is_current: mapping.has(current ?? "") ? shown.has(node_id) : undefined,
    })),
    branch_count: carriers.filter(([id]) => !answered.has(id)).length,
    current_id: [...shown].find((id) => isObject(mapping.get(id)?.message)),
  };
}

type Nodes = ReadonlyMap<string, ExportedObject>;

function isNode(entry: [string, unknown]): entry is [string, ExportedObject] {
  return isObject(entry[1]);
}

function findParent(mapping: Nodes, id: string): string | undefined {
  for (const above of walkUp(mapping, id)) {
    if (above !== id && isObject(mapping.get(above)?.message)) return above;
  }
  return undefined;
}

/** A node and its ancestors; stops at a cycle in a broken export. */
function* walkUp(mapping: Nodes, from: string): Generator<string> {
  const seen = new Set<string>();
  let id: string | undefined = from;
  while (id !== undefined && mapping.has(id) && !seen.has(id)) {
    seen.add(id);
    yield id;
    id = asText(mapping.get(id)?.parent);
  }
}
