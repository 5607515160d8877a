import { type RawBuilder, sql } from 'kysely'

/** Pages below this folder are templates of their space. */
export const TEMPLATE_FOLDER = 'templates/'

/** Whether the page at a path is no template. */
export function isNoTemplate(path: string): RawBuilder<boolean> {
  return sql<boolean>`not starts_with(${sql.ref(path)}, ${sql.lit(TEMPLATE_FOLDER)})`
}

const IN_FOLDER = /^templates(?:\/|$)/i

/** Whether a path or a prefix asks for page templates. */
export function asksForTemplates(path: string): boolean {
  return IN_FOLDER.test(path)
}
