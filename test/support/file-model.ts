import { sha256 } from './files.ts'

export const SPACES = ['one', 'two'] as const
export const FOLDERS = ['a', 'b'] as const
export const PATHS = ['a', 'b', 'a/x', 'a/y', 'b/x'] as const
export const KINDS = ['pages', 'files'] as const
export type Kind = (typeof KINDS)[number]
/** A space has room for one of the two large files. */
export const QUOTA_BYTES = 700_000

export interface Address {
  readonly space: string
  readonly path: string
}

/** A page or a file. */
interface Item {
  readonly versions: { readonly version: number; readonly content: string }[]
}

/**
 * What the service should hold: the item at each address, its trash, the highest version that was ever there, and the
 * links of a page.
 */
export class Model {
  readonly items = new Map<string, Item>()
  readonly trash = new Map<string, Item[]>()
  readonly #last = new Map<string, number>()
  /** The targets of a page in another space: each file, wherever it is moved. */
  links = SPACES.flatMap((space) => PATHS.map((path) => `files/${space}/${path}`))

  put(key: string, content: string): number {
    const item = this.items.get(key) ?? { versions: [] }
    const version = (this.items.has(key) ? latest(item).version : (this.#last.get(key) ?? 0)) + 1
    item.versions.push({ version, content })
    this.items.set(key, item)
    return version
  }

  /** Takes the item away from its address. */
  #remove(key: string): Item | undefined {
    const item = this.items.get(key)
    if (!item) return undefined
    this.items.delete(key)
    this.#last.set(key, Math.max(this.#last.get(key) ?? 0, latest(item).version))
    return item
  }

  delete(key: string): void {
    const item = this.#remove(key)
    if (item) this.trash.set(key, [...(this.trash.get(key) ?? []), item])
  }

  purge(key: string): void {
    if (!this.#remove(key)) this.trash.get(key)?.pop()
  }

  restore(key: string): number {
    const item = this.trash.get(key)?.pop() ?? { versions: [] }
    const { version, content } = latest(item)
    item.versions.push({ version: Math.max(this.#last.get(key) ?? 0, version) + 1, content })
    this.items.set(key, item)
    return latest(item).version
  }

  move(key: string, to: string): number {
    const item = this.#remove(key) ?? { versions: [] }
    const last = this.#last.get(to) ?? 0
    const { version, content } = latest(item)
    if (version <= last) item.versions.push({ version: last + 1, content })
    this.items.set(to, item)
    this.links = this.links.map((link) => (link === key ? to : link))
    return latest(item).version
  }

  /** Whether the files of a space would exceed its quota with these contents; each content counts once. */
  exceeds(space: string, added: readonly string[]): boolean {
    const contents = this.#contents(`files/${space}/`)
    return added.length > 0 && sizeOf([...contents, ...added]) > QUOTA_BYTES
  }

  /** The bytes of the files of a space. */
  usage(space: string): number {
    return sizeOf(this.#contents(`files/${space}/`))
  }

  #contents(prefix: string): string[] {
    const all = [
      ...[...this.items].filter(([key]) => key.startsWith(prefix)).map(([, item]) => item),
      ...[...this.trash].filter(([key]) => key.startsWith(prefix)).flatMap(([, items]) => items),
    ]
    return all.flatMap(({ versions }) => versions.map(({ content }) => content))
  }

  /** The digests that files and the trash refer to. */
  digests(): string[] {
    return [...new Set(this.#contents('files/').map(hex))].sort()
  }
}

export const hex = (content: string) => sha256(Buffer.from(content)).toString('hex')
export const keyOf = (kind: Kind, { space, path }: Address) => `${kind}/${space}/${path}`
const sizeOf = (contents: readonly string[]) => [...new Set(contents)].reduce((sum, { length }) => sum + length, 0)
export const latest = (item: Item) => item.versions.at(-1) ?? { version: 0, content: '' }
