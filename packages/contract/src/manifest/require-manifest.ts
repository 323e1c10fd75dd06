import { formatFieldPath } from "@rungs/evidence";
import { ApiError } from "../errors/errors.ts";
import { firstProblem, type Problem, plainMessages } from "../errors/problem.ts";
import { type Manifest, type ManifestStream, manifestSchema } from "./manifest-schema.ts";
import { findUnsafeName } from "./names.ts";
import { findRepeated, findStreamProblem } from "./stream-rules.ts";
import { getProperties } from "./stream-shape.ts";

/** Parses a source declaration, or throws `invalid_manifest` with the location and the rule. */
export function requireManifest(value: unknown): Manifest {
  const unsafe = findUnsafeName(value);
  if (unsafe) refuse(unsafe);
  const parsed = manifestSchema.safeParse(value, plainMessages);
  if (!parsed.success) return refuse(firstProblem(parsed.error));
  const problem = findManifestProblem(parsed.data);
  if (problem) refuse(problem);
  return parsed.data;
}

function refuse({ path, message }: Problem): never {
  const param = formatFieldPath(path);
  throw new ApiError("invalid_manifest", {
    ...(param === "" ? {} : { param }),
    message: `${param === "" ? "The source declaration" : param}: ${message}.`,
  });
}

/** Finds the first place where the parts of a source declaration contradict each other. */
function findManifestProblem(manifest: Manifest): Problem | undefined {
  const twice = findRepeated(manifest.streams.map((stream) => stream.name));
  if (twice !== undefined) {
    return { path: ["streams", twice, "name"], message: "names a stream that is already there" };
  }
  for (const [at, stream] of manifest.streams.entries()) {
    const problem = findStreamProblem(stream);
    if (problem) return { ...problem, path: ["streams", at, ...problem.path] };
  }
  return findPresetProblem(manifest);
}

function findPresetProblem(manifest: Manifest): Problem | undefined {
  const presets = manifest.selection_presets ?? [];
  const twice = findRepeated(presets.map((preset) => preset.id));
  if (twice !== undefined) {
    return { path: ["selection_presets", twice, "id"], message: "names a preset that is already there" };
  }
  for (const [at, preset] of presets.entries()) {
    for (const [index, entry] of preset.streams.entries()) {
      const stream = manifest.streams.find(({ name }) => name === entry.name);
      const problem = stream
        ? findEntryProblem(entry, stream)
        : { path: ["name"], message: "is not a stream of this declaration" };
      if (problem) return { ...problem, path: ["selection_presets", at, "streams", index, ...problem.path] };
    }
  }
  return undefined;
}

type PresetEntry = NonNullable<Manifest["selection_presets"]>[number]["streams"][number];

function findEntryProblem(entry: PresetEntry, stream: ManifestStream): Problem | undefined {
  if (entry.view !== undefined && entry.fields) {
    return { path: ["view"], message: "cannot be combined with fields" };
  }
  if (entry.view !== undefined && !stream.views?.some((view) => view.id === entry.view)) {
    return { path: ["view"], message: "is not a view of the stream" };
  }
  const unknown = (entry.fields ?? []).findIndex((field) => !Object.hasOwn(getProperties(stream), field));
  return unknown < 0 ? undefined : { path: ["fields", unknown], message: "is not a declared property" };
}
