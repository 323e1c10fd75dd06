/** The text that people add to a PDF: values of form fields, text boxes, comments, signatures and stamps. It is not part of the page's content. */
import { cleanText } from "../../clean-text.ts";

export type Annotation = Readonly<Record<string, unknown>>;

/** Invisible, Hidden and NoView (ISO 32000-1 §12.5.3). */
const UNSEEN_FLAGS = 0b100011;

/** The annotations that a page shows. */
export function listShown(annotations: readonly Annotation[]): Annotation[] {
  return annotations.filter(({ annotationFlags }) => (Number(annotationFlags ?? 0) & UNSEEN_FLAGS) === 0);
}

/** Whether the text of an annotation is only in its appearance. */
export function isDrawn({
  subtype,
  fieldType,
  hasAppearance,
  pushButton,
  combo,
  contentsObj,
}: Annotation): boolean {
  if (hasAppearance !== true) return false;
  if (subtype === "Widget")
    return fieldType === "Sig" || pushButton === true || (fieldType === "Ch" && combo === false);
  return (
    subtype === "Stamp" ||
    subtype === "Screen" ||
    (subtype === "FreeText" && readContents({ contentsObj }) === "")
  );
}

/** Lists the texts of annotations, a form field as `label: value`; `drawn` has what annotations draw, by id. Passwords are left out. */
export function listAnnotationTexts(
  annotations: readonly Annotation[],
  drawn: ReadonlyMap<string, string>,
): string[] {
  return annotations
    .flatMap((annotation) => [
      cleanText(readers[String(annotation.subtype)]?.(annotation) ?? "").trim(),
      isDrawn(annotation) ? (drawn.get(String(annotation.id)) ?? "") : "",
    ])
    .filter((text) => text !== "");
}

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

function readValue(field: Annotation): string {
  const { fieldType, fieldValue, password, exportValue, buttonValue } = field;
  if (password === true || fieldValue === undefined || fieldValue === null) return "";
  if (fieldType === "Btn")
    return fieldValue !== "Off" && fieldValue === (exportValue ?? buttonValue) ? "yes" : "";
  if (fieldType !== "Tx" && fieldType !== "Ch") return "";
  const values = Array.isArray(fieldValue) ? fieldValue : [fieldValue];
  return values
    .filter((value) => typeof value === "string")
    .map((value) => findDisplayed(field, value))
    .join(", ")
    .replace(/\r\n?/g, "\n");
}

/** A choice is stored by its export value; readers see its display value. */
function findDisplayed({ options }: Annotation, value: string): string {
  const choices = Array.isArray(options) ? options : [];
  const displayed = choices.find((choice) => choice?.exportValue === value)?.displayValue;
  return typeof displayed === "string" ? displayed : value;
}
