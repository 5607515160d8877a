import { ID_PREFIX } from './urls.ts'

/** Gives the id of each heading of one page in turn, from its text. */
export type Slugger = (text: string) => string

const MAX_LENGTH = 256

/** GitHub's ids: lower case, letters, digits, `-` and `_`; a number behind those that were there before. */
export function startSlugger(): Slugger {
  const used = new Map<string, number>()
  return (text) => {
    const slug = slugOf(text)
    let id = slug
    // The count goes on where the last heading of that text left it, so that many equal ones stay cheap.
    let count = used.get(slug) ?? 0
    while (used.has(id)) {
      count++
      id = `${slug}-${count}`
    }
    used.set(slug, count)
    if (id !== slug) used.set(id, 0)
    return ID_PREFIX + id
  }
}

function slugOf(text: string): string {
  const slug = text
    .slice(0, MAX_LENGTH)
    .toWellFormed()
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
    .replaceAll(' ', '-')
  return slug === '' ? 'section' : slug
}
