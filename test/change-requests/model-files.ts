import { assertStatus, type Client } from '../support/client.ts'

/** The files of the model of change requests: what the service should hold of them. */

export const FILE_PATHS = ['f.txt', 'g.txt', 'h.txt']

interface StoredFile {
  path: string
  bytes: string
}

interface FileDraft {
  readonly file: StoredFile | undefined
  /** Before the first change of its bytes, or before its deletion. */
  base: string | undefined
  /** Of a new or moved one. */
  path: string | undefined
  bytes: string | undefined
  isDeleted: boolean
}

const placeOf = ({ path, file }: FileDraft) => path ?? file?.path ?? ''

export class FileWorld {
  readonly #files = new Map<string, StoredFile>()
  readonly #drafts: Map<number, Set<FileDraft>>
  /** Addresses that redirect: nothing new is made there. */
  readonly #left = new Set<string>()
  readonly #admin: Client
  readonly #space: string

  constructor(admin: Client, space: string, requests: readonly number[]) {
    this.#admin = admin
    this.#space = space
    this.#drafts = new Map(requests.map((number) => [number, new Set()]))
  }

  count(number: number): number {
    return this.#drafts.get(number)?.size ?? 0
  }

  read(path: string): string | undefined {
    return this.#files.get(path)?.bytes
  }

  #at(number: number, path: string): { draft?: FileDraft; file?: StoredFile } {
    const drafts = [...(this.#drafts.get(number) ?? [])]
    const here = drafts.find((draft) => !draft.isDeleted && draft.path === path)
    if (here) return { draft: here, ...(here.file && { file: here.file }) }
    const file = this.#files.get(path)
    const draft = file && drafts.find((each) => each.file === file)
    if (draft && (draft.isDeleted || draft.path !== undefined)) return {}
    return { ...(draft && { draft }), ...(file && { file }) }
  }

  /** Runs a step of files; false: it is none, or there is nothing to do it with. */
  async play(kind: string, number: number, path: string, word: string): Promise<void> {
    const url = `/files/${this.#space}/${path}`
    const query = `?changeRequest=${number}`
    const tag = async (more: string) => {
      const { json } = await this.#admin.get(url + more, { accept: 'application/json' })
      return { 'if-match': String(json.etag) }
    }
    const file = this.#files.get(path)
    if (kind === 'writeFile') {
      if (!file && this.#left.has(path)) return
      assertStatus(await this.#admin.put(url, word, file ? await tag('') : {}), file ? 200 : 201)
      if (file) file.bytes = word
      else this.#files.set(path, { path, bytes: word })
      return
    }
    if (kind === 'deleteFile') {
      if (!file) return
      assertStatus(await this.#admin.delete(url, await tag('')), 204)
      this.#files.delete(path)
      return
    }
    const shown = this.#at(number, path)
    const exists = shown.draft !== undefined || shown.file !== undefined
    if (exists ? false : kind !== 'proposeFile' || this.#left.has(path)) return
    const drafts = this.#drafts.get(number) as Set<FileDraft>
    const draft = shown.draft ?? {
      file: shown.file,
      base: undefined,
      path: exists ? undefined : path,
      bytes: undefined,
      isDeleted: false,
    }
    if (kind === 'proposeFile') {
      assertStatus(await this.#admin.put(url + query, word, exists ? await tag(query) : {}), 202)
      if (draft.bytes === undefined) draft.base = draft.file?.bytes
      draft.bytes = word
      drafts.add(draft)
    } else if (kind === 'proposeFileDelete') {
      assertStatus(await this.#admin.delete(url + query, await tag(query)), 202)
      if (!draft.file) drafts.delete(draft)
      else {
        if (draft.bytes === undefined) draft.base = draft.file.bytes
        Object.assign(draft, { isDeleted: true, bytes: undefined, path: undefined })
        drafts.add(draft)
      }
    } else if (kind === 'proposeFileMove') {
      const to = FILE_PATHS.find((each) => {
        const there = this.#at(number, each)
        return each !== path && !there.draft && !there.file && !this.#left.has(each)
      })
      if (to === undefined) return
      assertStatus(await this.#admin.post(`${url}/move${query}`, { to: { path: to } }, await tag(query)), 202)
      draft.path = to
      drafts.add(draft)
    }
  }

  /** The conflicts of a merge, each as path and kind. */
  conflicts(number: number): string[] {
    const drafts = [...(this.#drafts.get(number) ?? [])]
    const leaves = (file: StoredFile) =>
      drafts.some(
        (each) => each.file === file && (each.isDeleted || (each.path !== undefined && each.path !== file.path)),
      )
    return drafts.flatMap((draft) => {
      const { file, base, bytes, isDeleted, path } = draft
      const isGone = file !== undefined && this.#files.get(file.path) !== file
      const there = path === undefined || isDeleted || path === file?.path ? undefined : this.#files.get(path)
      const taken = there && !leaves(there) ? [`${path} exists`] : []
      if (isGone) return isDeleted ? [] : [`${placeOf(draft)} deleted`, ...taken]
      const isTouched = file !== undefined && (isDeleted || bytes !== undefined) && file.bytes !== base
      return isTouched && (isDeleted || bytes !== file.bytes) ? [`${placeOf(draft)} changed`, ...taken] : taken
    })
  }

  merge(number: number): void {
    const drafts = [...(this.#drafts.get(number) ?? [])]
    const isThere = (file: StoredFile) => this.#files.get(file.path) === file
    for (const { file, isDeleted } of drafts) if (file && isDeleted && isThere(file)) this.#files.delete(file.path)
    const kept = drafts.filter((draft) => !draft.isDeleted)
    const moving = kept.filter(({ file, path }) => file && path !== undefined && path !== file.path)
    for (const { file, bytes } of kept) if (file && bytes !== undefined) file.bytes = bytes
    for (const { file } of moving) if (file) this.#files.delete(file.path)
    for (const { file } of moving) if (file) this.#left.add(file.path)
    for (const { file, path } of moving) {
      if (!file || path === undefined) continue
      file.path = path
      this.#files.set(path, file)
      this.#left.delete(path)
    }
    for (const { file, path = '', bytes = '' } of kept) if (!file) this.#files.set(path, { path, bytes })
    this.#drafts.set(number, new Set())
  }
}
