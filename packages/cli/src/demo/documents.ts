/** Documents in several languages, one with its source file. */
import type { RecordEnvelope } from "@rungs/contract";
import type { BlobFacts } from "@rungs/store";
import { createEnvelope, createRandom, timeAt } from "./sample-record.ts";

/** Renders the CSV file of household accounts that a document refers to. */
export function writeAccounts(): string {
  const random = createRandom(41);
  const rows = Array.from({ length: 400 }, (_, at) => {
    const what = random.pick(["tiles", "beams", "crane", "permit", "paint", "bread", "tea"]);
    return `${timeAt(at * 1_440).slice(0, 10)},${what},${(5 + random.number(40_000) / 100).toFixed(2)}`;
  });
  return ["date,what,amount", ...rows, ""].join("\n");
}

/** Lists every document; `accounts` is the stored file. */
export function listDocuments(accounts: BlobFacts): RecordEnvelope[] {
  const { blob_id, mime_type, size_bytes, sha256 } = accounts;
  const document = (id: string, days: number, data: Record<string, unknown>) =>
    createEnvelope("documents", id, {
      changed_at: timeAt(days * 1_440),
      private_note: "Not part of the grant.",
      ...data,
    });
  return [
    document("lease", 3, { title: "Lease of the tea house", language: "en", text: writeLease() }),
    document("accounts", 9, {
      title: "Household accounts",
      language: "en",
      text: "What the roof has cost so far, a line for each payment; the file has all of them.",
      file: { blob_id, mime_type, size_bytes, sha256 },
    }),
    document("kyoto", 12, {
      title: "京都旅行の計画",
      language: "ja",
      text: "一日目は清水寺と茶屋。二日目は嵐山の竹林を歩き、夕方に錦市場で買い物をする。雨の日は美術館に行く。",
    }),
    document("recipe", 15, {
      title: "وصفة القهوة",
      language: "ar",
      text: "اغلي الماء ثم أضيفي القهوة والهيل. اتركيها على نار هادئة خمس دقائق وقدميها مع التمر.",
    }),
  ];
}

/** Long enough to span several windows. */
function writeLease(): string {
  const clauses = [
    "The tenant keeps the garden as it is and may harvest the lemons.",
    "The rent is due on the third working day of the month.",
    "Repairs above two hundred euros are the owner's, below that the tenant's.",
    "The bowls that the grandfather made stay in the house.",
  ] as const;
  const written = Array.from({ length: 160 }, (_, at) => `§ ${at + 1}. ${clauses[at % clauses.length]}`);
  return [
    "Lease of the tea house",
    ...written,
    "Either side may end the lease with ninety days' notice.",
  ].join("\n");
}
