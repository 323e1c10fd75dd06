/** The text that people add to a PDF: values of form fields, text boxes and comments. It is not part of the page's content. */
import { cleanText } from "../clean-text.ts";

/** Invisible, Hidden and NoView (ISO 32000-1 §12.5.3). */
const UNSEEN_FLAGS = 0b100011;

/** Lists the texts of annotations, a form field as `label: value`. What the page hides, and passwords, are left out. */
export function listAnnotationTexts(annotations: readonly Readonly<Record<string, unknown>>[]): string[] {
  return annotations
    .filter((annotation) => (Number(annotation.annotationFlags ?? 0) & UNSEEN_FLAGS) === 0)
    .map((annotation) => cleanText(readers[String(annotation.subtype)]?.(annotation) ?? "").trim())
    .filter((text) => text !== "");
}

type Annotation = Readonly<Record<string, unknown>>;

const readers: Readonly<Record<string, (annotation: Annotation) => string>> = {
  Widget: readField,
  FreeText: readContents,
  Text: readContents,
};

function readContents({ contentsObj }: Annotation): string {
  const { str } = (contentsObj ?? {}) as { str?: unknown };
  return typeof str === "string" ? str.replace(/\r\n?/g, "\n") : "";
}

function readField(field: Annotation): string {
  const label = typeof field.alternativeText === "string" ? field.alternativeText.trim() : "";
  const value = readValue(field);
  return value !== "" && label !== "" ? `${label}: ${value}` : value;
}

function readValue({ fieldType, fieldValue, password, exportValue, buttonValue }: Annotation): string {
  if (password === true || fieldValue === undefined || fieldValue === null) return "";
  if (fieldType === "Btn")
    return fieldValue !== "Off" && fieldValue === (exportValue ?? buttonValue) ? "yes" : "";
  if (fieldType !== "Tx" && fieldType !== "Ch") return "";
  const values = Array.isArray(fieldValue) ? fieldValue : [fieldValue];
  return values
    .filter((value) => typeof value === "string")
    .join(", ")
    .replace(/\r\n?/g, "\n");
}
