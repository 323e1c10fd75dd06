import type { ImportedItem } from "@rungs/contract";
import type { JsonElement } from "../json/read-elements.ts";
import { joinKey, toRecordItem } from "../record-item.ts";
import { digestRow, isSecond } from "./messages.ts";
import { defineTable, type LinkedInContext, readCells, readLinkedInTime } from "./tables.ts";

export const connectionTable = defineTable(
  { noun: "connection", columns: ["First Name", "Last Name", "Company", "Position", "Connected On"] },
  readConnection,
);

export const invitationTable = defineTable(
  { noun: "invitation", columns: ["From", "To", "Sent At", "Message", "Direction"] },
  readInvitation,
);

function* readConnection(element: JsonElement, context: LinkedInContext): Generator<ImportedItem> {
  const cell = readCells(element);
  const name = [cell("First Name"), cell("Last Name")].filter((part) => part !== undefined).join(" ");
  const url = cell("URL");
  // For a closed account, only the day is left.
  if (name === "" && url === undefined && cell("Company") === undefined) {
    yield {
      kind: "rejected",
      place: element.place,
      reason: "The person closed the account: the row has no name.",
    };
    return;
  }
  const id = joinKey("connection", url ?? digestRow(name, cell("Company"), cell("Connected On")));
  if (isSecond(context, id)) return;
  yield toRecordItem("connections", element.place, {
    id,
    name,
    company: cell("Company"),
    position: cell("Position"),
    email: cell("Email Address"),
    url,
    kind: "connection",
    connected_at: readLinkedInTime(cell("Connected On")),
  });
}

function* readInvitation(element: JsonElement, context: LinkedInContext): Generator<ImportedItem> {
  const cell = readCells(element);
  const isSent = cell("Direction") === "OUTGOING";
  const name = isSent ? cell("To") : cell("From");
  const id = joinKey("invitation", digestRow(cell("From"), cell("To"), cell("Sent At")));
  if (name === undefined || isSecond(context, id)) return;
  yield toRecordItem("connections", element.place, {
    id,
    name,
    url: isSent ? cell("inviteeProfileUrl") : cell("inviterProfileUrl"),
    text: cell("Message"),
    kind: isSent ? "invitation_sent" : "invitation_received",
    connected_at: readLinkedInTime(cell("Sent At")),
  });
}
