import { posix } from "node:path";
import type { ImportedItem } from "@rungs/contract";
import type { FileKind } from "../export/file-kinds.ts";
import type { JsonElement } from "../json/read-elements.ts";
import { asEpoch, asFlag, asId, asNumber, asObject, asObjects, asText } from "../json/values.ts";
import { joinKey, toRecordItem } from "../record-item.ts";
import type { GoogleContext } from "./context.ts";

/** What Google Photos knows about a picture: a JSON file beside it. */
export const photos: FileKind<GoogleContext> = {
  noun: "photo",
  path: /\.json$/i,
  isOwn: (head) => /^\s*\{/.test(head) && /"photoTakenTime"\s*:/.test(head) && /"title"\s*:/.test(head),
  read: readPhoto,
};

function* readPhoto({ value, place, file }: JsonElement): Generator<ImportedItem> {
  const photo = asObject(value);
  const title = asText(photo.title);
  const taken = asId(asObject(photo.photoTakenTime).timestamp);
  const geo = [photo.geoData, photo.geoDataExif]
    .map(asObject)
    .find(({ latitude, longitude }) => latitude || longitude);
  const url = asText(photo.url);
  // The same picture is in the folder of its year and in each album; its address on the web is the same in all.
  const album = posix.basename(posix.dirname(file.path));
  yield toRecordItem("photos", place, {
    id: joinKey("photo", album, posix.basename(file.path)),
    title,
    album: album === "." ? undefined : album,
    description: asText(photo.description),
    people: asObjects(photo.people).flatMap(({ name }) => asText(name) ?? []),
    taken_at: asEpoch(taken, 0.001),
    uploaded_at: asEpoch(asObject(photo.creationTime).timestamp, 0.001),
    latitude: asNumber(geo?.latitude),
    longitude: asNumber(geo?.longitude),
    url,
    device: asText(asObject(asObject(asObject(photo.googlePhotosOrigin).mobileUpload)).deviceType),
    is_favorite: asFlag(photo.favorited),
    is_archived: asFlag(photo.archived),
    is_trashed: asFlag(photo.trashed),
  });
}
