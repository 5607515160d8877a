import type { Heading } from './page.ts'

/** Selects a heading by its text; `level` and `occurrence` select one of several equal headings. */
export interface HeadingName {
  readonly heading: string
  readonly level?: number
  /** From 1, among the matching headings. */
  readonly occurrence?: number
}

/** A section: from its heading to the next heading of the same or a higher level. */
export interface Section {
  readonly heading: Heading
  /** The heading after it; undefined at the end of the page. */
  readonly next: Heading | undefined
}

/** The sections of a page in order. Headings in lists and block quotes do not start a section. */
export function sectionsOf(headings: readonly Heading[]): Section[] {
  const own = headings.filter((heading) => !heading.nested)
  const open: { heading: Heading; next: Heading | undefined }[] = []
  const sections = own.map((heading) => ({ heading, next: undefined as Heading | undefined }))
  for (const section of sections) {
    for (let last = open.at(-1); last && last.heading.level >= section.heading.level; last = open.at(-1)) {
      last.next = section.heading
      open.pop()
    }
    open.push(section)
  }
  return sections
}

/** Finds the selected section, or returns what is wrong with the selector. */
export function findSection(
  headings: readonly Heading[],
  name: HeadingName,
): { readonly section: Section } | { readonly problem: string } {
  const fitting = sectionsOf(headings).filter(
    ({ heading: { text, level } }) =>
      text === name.heading.trim() && (name.level === undefined || level === name.level),
  )
  if (name.occurrence === undefined && fitting.length > 1) {
    return { problem: `fits ${fitting.length} headings: say which by level or occurrence` }
  }
  const section = fitting[(name.occurrence ?? 1) - 1]
  if (section) return { section }
  return {
    problem: fitting.length === 0 ? 'fits no heading of the page' : `fits ${fitting.length} headings only`,
  }
}
