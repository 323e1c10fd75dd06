import { createHash } from "node:crypto";
import { posix } from "node:path";
import type { ImportedItem } from "@rungs/contract";
import type { FileKind } from "../export/file-kinds.ts";
import type { JsonElement } from "../json/read-elements.ts";
import {
  asInteger,
  asList,
  asNumber,
  asObject,
  asText,
  asTime,
  type ExportedObject,
  isObject,
} from "../json/values.ts";
import { joinKey, toRecordItem } from "../record-item.ts";
import type { GoogleContext } from "./context.ts";

/** Saved and labelled places and reviews of Maps, as GeoJSON. */
export const places: FileKind<GoogleContext> = {
  noun: "place",
  path: /\.json$/i,
  isOwn: (head, path) =>
    /^\s*\{/.test(head) &&
    /"type"\s*:\s*"FeatureCollection"/.test(head) &&
    (/"(?:google_maps_url|Google Maps URL)"\s*:/.test(head) || /(?:^|\/)Takeout\//.test(path)),
  list: "features",
  read: readPlace,
};

/** Older exports use display names: `Business Name`. */
function readMember(object: ExportedObject, ...names: readonly string[]): unknown {
  return names.map((name) => object[name]).find((value) => value !== undefined);
}

function* readPlace({ value, place, file }: JsonElement): Generator<ImportedItem> {
  if (!isObject(value)) {
    yield { kind: "rejected", place, reason: "Not a place." };
    return;
  }
  const properties = asObject(value.properties);
  const location = asObject(readMember(properties, "location", "Location"));
  const url = asText(readMember(properties, "google_maps_url", "Google Maps URL"));
  const address = asText(readMember(location, "address", "Address")) ?? asText(properties.address);
  const name =
    asText(readMember(location, "name", "Business Name")) ??
    asText(readMember(properties, "Title", "title", "name", "Name"));
  const [longitude, latitude] = asList(asObject(value.geometry).coordinates).map(asNumber);
  const isNowhere = longitude === 0 && latitude === 0;
  const list = posix.basename(file.path, posix.extname(file.path));
  const own = url ?? JSON.stringify([name, address, longitude, latitude]);
  const rating = readMember(properties, "five_star_rating_published", "Star Rating");
  yield toRecordItem("places", place, {
    id: joinKey(
      "place",
      createHash("sha256")
        .update(JSON.stringify([list, own]))
        .digest("hex")
        .slice(0, 24),
    ),
    name: name ?? address,
    address,
    saved_at: asTime(readMember(properties, "date", "Published", "Updated")),
    text: asText(readMember(properties, "Comment", "comment", "review_text_published", "Review Comment")),
    rating: asInteger(rating) ?? asNumber(rating),
    url,
    country_code: asText(readMember(location, "country_code", "Country Code")),
    latitude: isNowhere ? undefined : latitude,
    longitude: isNowhere ? undefined : longitude,
    list,
  });
}
