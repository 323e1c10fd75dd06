/** Reads one window of one field, for the tool and the resource. */
import type { Client } from "@rungs/client";
import type { FieldRead, InputOf, Operations } from "@rungs/contract";
import type { FieldWindow } from "@rungs/evidence";

/** Reads a window, as the resource server cuts it: the same for the tool, the resource and every other face (R44). */
export async function fetchWindow(
  client: Client,
  { record, field_path, selector }: FieldRead,
): Promise<FieldWindow> {
  const { connection_id, stream, record_id: id } = record;
  const { kind: _, ...input } = selector;
  const asked: InputOf<Operations["read_record_field"]> = { stream, id, connection_id, field_path, ...input };
  const { object: __, ...answer } = await client.call("read_record_field", asked);
  return answer;
}
