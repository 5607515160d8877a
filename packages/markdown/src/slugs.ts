import { ID_PREFIX } from '@recto/lib/text/fragment.ts'

/** Makes the ids of the headings of a page, in page order. */
export type Slugger = (text: string) => string

const MAX_LENGTH = 500

/** As github-slugger: lower case, letters, decimal digits, `-` and `_`; a number is appended to duplicates. */
export function startSlugger(): Slugger {
  const usedSlugs = new Map<string, number>()
  return (text) => {
    const slug = slugify(text)
    let id = slug
    // The counter of a text continues where its last heading left it, so that many duplicates take linear time.
    let count = usedSlugs.get(slug) ?? 0
    while (usedSlugs.has(id)) {
      count++
      id = `${slug}-${count}`
    }
    usedSlugs.set(slug, count)
    if (id !== slug) usedSlugs.set(id, 0)
    return ID_PREFIX + id
  }
}

function slugify(text: string): string {
  const slug = text
    .slice(0, MAX_LENGTH)
    .toWellFormed()
    .toLowerCase()
    .replace(/[^\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\- ]/gu, '')
    .replaceAll(' ', '-')
  return slug === '' ? 'section' : slug
}
