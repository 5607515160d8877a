/** Notion appends the id of a page to the names of its file and its folder; of a database it exports all rows as well. */
const ID = / [0-9a-f]{32}(?=(?:_all)?$)/
const PAGE = /\.md$/i
/** A longer name stays as it is: the import rejects it as a path. */
const MAX_NAME_LENGTH = 8_192

/**
 * The names that the files of an archive get, by their own names: without the folder that contains everything, and without
 * ids. Of files whose names are equal then the later ones get a number. Markdown files end in `.md`.
 */
export function mendNames(names: readonly string[]): ReadonlyMap<string, string> {
  const root = commonFolder(names)
  const mend = createNamer()
  return new Map(
    names.toSorted().map((name) => {
      if (name.length > MAX_NAME_LENGTH) return [name, name]
      const segments = name.slice(root.length).split('/')
      return [name, segments.map((_, index) => mend(segments, index)).join('/')]
    }),
  )
}

/** Returns the new name of a segment: the same one for a page and for the folder of the pages below it. */
function createNamer(): (segments: readonly string[], index: number) => string {
  const given = new Map<string, string>()
  const freeName = createFreeNames()
  return (segments, index) => {
    const folder = segments.slice(0, index).join('/')
    const segment = segments[index] ?? ''
    const isPage = index === segments.length - 1 && PAGE.test(segment)
    const stem = isPage ? segment.replace(PAGE, '') : segment
    const key = `${folder}/${stem}`
    const known = given.get(key) ?? freeName(folder, stem)
    given.set(key, known)
    return isPage ? `${known}.md` : known
  }
}

/** Returns a name of a folder that was not returned before. Numbers go on from the last one: thousands of names may be equal. */
function createFreeNames(): (folder: string, stem: string) => string {
  const taken = new Set<string>()
  const next = new Map<string, number>()
  return (folder, stem) => {
    const [, bare = stem, suffix = ''] = /^(.+)(\.[a-z0-9]{1,8})$/i.exec(stem) ?? []
    const clean = bare.replace(ID, '') || bare
    const key = `${folder}/${clean}${suffix}`
    for (let number = next.get(key) ?? 1; ; number++) {
      const name = `${clean}${number === 1 ? '' : `-${number}`}${suffix}`
      if (taken.has(`${folder}/${name}`)) continue
      taken.add(`${folder}/${name}`)
      next.set(key, number + 1)
      return name
    }
  }
}

/** The folder with its slash in which all files are; empty if there is none. */
function commonFolder([first = '', ...others]: readonly string[]): string {
  const folder = first.slice(0, first.indexOf('/') + 1)
  return others.length > 0 && others.every((name) => name.startsWith(folder)) ? folder : ''
}
