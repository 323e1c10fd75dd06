/** Finds the OCR program that the owner installed. It is not part of Rungs, and nothing is downloaded. */
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { ApiError } from "@rungs/contract";

/** Where Tesseract and the data of its languages are. */
export interface OcrSetup {
  /** The folder of the package `tesseract.js-core`. */
  readonly program: string;
  readonly languages: readonly OcrLanguage[];
}

interface OcrLanguage {
  /** As Tesseract names it: `eng`, `chi_sim`. */
  readonly code: string;
  /** Its data, gzipped or not. */
  readonly file: string;
}

const LANGUAGES = /^[a-z]{3}(?:_[a-z]{2,8})*(?:\+[a-z]{3}(?:_[a-z]{2,8})*){0,7}$/;

/** Finds what OCR needs for languages such as `eng+deu`: in the folder that `RUNGS_OCR_DIR` names, else beside Rungs. */
export function findOcr(
  languages: string,
  env: Readonly<Record<string, string | undefined>> = process.env,
): OcrSetup {
  if (!LANGUAGES.test(languages)) {
    throw new ApiError("invalid_request", {
      param: "ocr",
      message: `${languages} is not a Tesseract language.`,
      next: "Name languages by their codes, such as eng, deu or eng+deu.",
    });
  }
  const codes = [...new Set(languages.split("+"))];
  const folder = env.RUNGS_OCR_DIR === undefined ? undefined : resolve(env.RUNGS_OCR_DIR);
  const require = createRequire(folder === undefined ? import.meta.url : join(folder, "here.js"));
  const program = findFile(require, "tesseract.js-core/package.json");
  if (program === undefined) throw refuse("the program Tesseract is not installed", codes);
  const found = codes.map((code) => {
    const file = findData(require, folder, code);
    if (file === undefined) throw refuse(`the data of the language ${code} is not installed`, codes);
    return { code, file };
  });
  return { program: dirname(program), languages: found };
}

function findFile(require: NodeJS.Require, name: string): string | undefined {
  try {
    return require.resolve(name);
  } catch {
    return undefined;
  }
}

/** The folders of a package of language data, the more exact data first. */
const DATA_FOLDERS = ["4.0.0_best_int", "4.0.0"];

function findData(require: NodeJS.Require, folder: string | undefined, code: string): string | undefined {
  const manifest = findFile(require, `@tesseract.js-data/${code}/package.json`);
  const folders = [
    ...(folder === undefined ? [] : [folder]),
    ...(manifest === undefined ? [] : DATA_FOLDERS.map((name) => join(dirname(manifest), name))),
  ];
  return folders
    .flatMap((each) => [".traineddata", ".traineddata.gz"].map((ending) => join(each, code + ending)))
    .find((file) => existsSync(file));
}

function refuse(problem: string, codes: readonly string[]): ApiError {
  const packages = ["tesseract.js-core@7", ...codes.map((code) => `@tesseract.js-data/${code}`)].join(" ");
  return new ApiError("invalid_request", {
    param: "ocr",
    message: `OCR is an optional extra, and ${problem}.`,
    next: `Install it beside Rungs (npm install --global ${packages}), or in a folder that RUNGS_OCR_DIR names (npm install --prefix FOLDER ${packages}), and import again.`,
  });
}
