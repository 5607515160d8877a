import { type RawBuilder, sql } from 'kysely'

/** The name of the folder of page templates. */
export const TEMPLATES = 'templates'
/** Pages below this folder are templates of their space. */
export const TEMPLATE_FOLDER = `${TEMPLATES}/`

/** Whether the page at a path is a template, as a range of an index: `0` is the character after `/`. */
export function isTemplate(path: string): RawBuilder<boolean> {
  return sql<boolean>`(${sql.ref(path)} > ${sql.lit(TEMPLATE_FOLDER)}
    and ${sql.ref(path)} < ${sql.lit(`${TEMPLATES}0`)})`
}

/** Whether the page at a path is no template. */
export function isNoTemplate(path: string): RawBuilder<boolean> {
  return sql<boolean>`not starts_with(${sql.ref(path)}, ${sql.lit(TEMPLATE_FOLDER)})`
}

const IN_FOLDER = /^templates(?:\/|$)/i

/** Whether a path or a prefix asks for page templates. */
export function asksForTemplates(path: string): boolean {
  return IN_FOLDER.test(path)
}
