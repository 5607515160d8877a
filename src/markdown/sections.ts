import type { Heading } from './page.ts'

/** A heading by its text; `level` and `occurrence` tell equal ones apart. */
export interface HeadingName {
  readonly heading: string
  readonly level?: number
  /** Counted from 1 among the headings that fit. */
  readonly occurrence?: number
}

/** A part of a page: from its heading up to the next one of its level or above. */
export interface Section {
  readonly heading: Heading
  /** The heading that ends it; undefined where the page does. */
  readonly next: Heading | undefined
}

/** The sections of a page in their order; headings in lists and quotations begin none. */
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

/** The one section that the name fits, or what is wrong with the name. */
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
