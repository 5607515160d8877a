import { iconMember } from '@recto/lib/text/emoji.ts'
import type { Ctx } from '../../../access/ctx.ts'
import { requireSpace, type SpaceAccess } from '../../../access/space.ts'
import { toAccessSubject } from '../../../access/visibility.ts'
import { type ChildRow, listArranged, listChildren, listChildrenBefore } from './store-children.ts'

/** A page, or a folder with pages below, or both. */
export interface Child {
  readonly path: string
  readonly name: string
  /** Absent if there is no page. */
  readonly title: string | undefined
  readonly icon?: string
  readonly hasChildren: boolean
  /** Whether a folder rule of its own narrows who reads it. */
  readonly isRestricted: boolean
}

/** A part of the names directly in a folder. */
interface Level {
  readonly items: readonly Child[]
  /** The name before which there is more. */
  readonly before: string | undefined
  /** The last name of the part, if there are names after it. */
  readonly after: string | undefined
}

export interface Tree {
  readonly space: SpaceAccess
  /** The names in each listed folder; the space itself is `''`. */
  readonly levels: ReadonlyMap<string, Level>
}

/** A folder of a space; `''`: the space. */
export interface Folder {
  readonly spaceId: number
  readonly folder: string
}

/** After every name: the last code point, which is no character. */
const END = '\u{10ffff}'
/** A level is read in parts of this size. */
const LEVEL_SIZE = 100
/** The names of all open folders that are not around the current page, shared by them; each has some. */
const OPEN_SIZE = 200
const MIN_OPEN_SIZE = 5
/** The number of names before the current page, if it is far from the start of its folder. */
const BEFORE = 20

/**
 * The page tree of a space: its top level, the folders around a page, whether or not it exists, and the first names of
 * open ones. One round trip, whatever the size; two where a folder is larger than a part.
 */
export async function readTree(
  ctx: Ctx,
  input: { readonly space: string; readonly page?: string | undefined; readonly open: readonly string[] },
): Promise<Tree> {
  const space = await requireSpace(ctx, input.space, 'viewer')
  const around = input.page === undefined ? [] : listFolders(input.page)
  const inner = new Set(['', ...around])
  const others = [...new Set(input.open)].filter((folder) => !inner.has(folder))
  const share = Math.min(LEVEL_SIZE, Math.max(MIN_OPEN_SIZE, Math.floor(OPEN_SIZE / others.length)))
  const levels = await firstParts(ctx, space.id, [
    ...[...inner].map((folder) => ({ folder, limit: LEVEL_SIZE })),
    ...others.map((folder) => ({ folder, limit: share })),
  ])
  const far = around.slice(0, -1).map((folder, index) => ({ folder, child: lastSegment(around[index + 1] ?? '') }))
  const windows = far.filter(({ folder, child }) => {
    const level = levels.get(folder)
    return level?.after !== undefined && !level.items.some(({ name }) => name === child)
  })
  await Promise.all(
    windows.map(async ({ folder, child }) => {
      const window = { spaceId: space.id, folder }
      const { after, before } = await partBefore(ctx, window, child, BEFORE)
      levels.set(folder, await readPart(ctx, window, { after, before }))
    }),
  )
  return { space, levels }
}

/** The next part of a folder, after a name or before one. */
export async function readLevel(
  ctx: Ctx,
  input: {
    readonly space: string
    readonly folder: string
    readonly after: string
    readonly before?: string | undefined
  },
): Promise<Tree> {
  const space = await requireSpace(ctx, input.space, 'viewer')
  const { folder, after, before } = input
  const window = { spaceId: space.id, folder }
  if (before === undefined) return { space, levels: new Map([[folder, await readPart(ctx, window, { after })]]) }
  const level = await readPart(ctx, window, await partBefore(ctx, window, before))
  return { space, levels: new Map([[folder, { ...level, after: undefined }]]) }
}

/** The last name in a folder: in natural order, or the last of those that are ordered by hand if there is no other. */
export async function lastChild(ctx: Ctx, spaceId: number, folder: string): Promise<Child | undefined> {
  const put = await listPut(ctx, { spaceId, folder })
  const names = await listBefore(ctx, { spaceId, folder }, END, put.length + 2)
  const manual = new Set(put.map(({ name }) => name))
  const at = names.findIndex(({ name }) => !manual.has(name))
  if (at === -1) return put.map(toChild).at(-1)
  const rows = await listAfter(ctx, { spaceId, folder }, names[at + 1]?.name ?? '', 1)
  return rows.map(toChild)[0]
}

/** The names in a folder that are ordered manually. */
export function listPut(ctx: Ctx, { spaceId, folder }: Folder): Promise<readonly ChildRow[]> {
  return listArranged.all(ctx.db, { ...toAccessSubject(ctx.actor), spaceId, folders: [folder] })
}

/** The names in a folder after a name, in natural order. */
export function listAfter(
  ctx: Ctx,
  { spaceId, folder }: Folder,
  after: string,
  limit: number,
): Promise<readonly ChildRow[]> {
  const part = { folders: [folder], afters: [after], limits: [limit] }
  return listChildren.all(ctx.db, { ...toAccessSubject(ctx.actor), spaceId, ...part })
}

/** The names in a folder before a name, the nearest first. */
export function listBefore(
  ctx: Ctx,
  folder: Folder,
  before: string,
  limit: number,
): Promise<readonly Pick<ChildRow, 'name'>[]> {
  return listChildrenBefore.all(ctx.db, { ...toAccessSubject(ctx.actor), ...folder, before, limit })
}

/** The folders around a page from the space inwards, and the page itself. */
function listFolders(path: string): string[] {
  const names = path.split('/')
  return ['', ...names.map((_, index) => names.slice(0, index + 1).join('/'))]
}

async function firstParts(
  ctx: Ctx,
  spaceId: number,
  parts: readonly { readonly folder: string; readonly limit: number }[],
): Promise<Map<string, Level>> {
  const folders = parts.map(({ folder }) => folder)
  const [arranged, rows] = await Promise.all([
    listArranged.all(ctx.db, { ...toAccessSubject(ctx.actor), spaceId, folders }),
    listChildren.all(ctx.db, {
      ...toAccessSubject(ctx.actor),
      spaceId,
      folders,
      afters: folders.map(() => ''),
      limits: parts.map(({ limit }) => limit),
    }),
  ])
  const first = Map.groupBy(arranged, ({ folder }) => folder)
  const rest = Map.groupBy(rows, ({ folder }) => folder)
  return new Map(
    parts.map(({ folder, limit }) => {
      const [put = [], others = []] = [first.get(folder), rest.get(folder)]
      const after = others.length < limit ? undefined : others.at(-1)?.name
      return [folder, { items: [...put, ...without(others, put)].map(toChild), before: undefined, after }]
    }),
  )
}

interface Part {
  /** The name after which it starts; `''` for the start of the folder. */
  readonly after: string
  /** The name before which there is more. */
  readonly before?: string | undefined
  readonly limit?: number
}

/** A part of a folder; manually ordered names belong to the first part. */
async function readPart(ctx: Ctx, window: Folder, { after, before, limit = LEVEL_SIZE }: Part): Promise<Level> {
  const [put, rows] = await Promise.all([listPut(ctx, window), listAfter(ctx, window, after, limit)])
  const items = [...(after === '' ? put : []), ...without(rows.slice(0, limit), put)].map(toChild)
  return { items, before, after: rows.length < limit ? undefined : rows.at(-1)?.name }
}

/** The part that ends before a name; in a large folder it has `size` names. */
async function partBefore(ctx: Ctx, window: Folder, before: string, size = LEVEL_SIZE): Promise<Part> {
  const names = await listBefore(ctx, window, before, size + 1)
  const after = names[size]?.name
  if (after === undefined) return { after: '', limit: names.length }
  return { after, before: names[size - 1]?.name, limit: size }
}

function without(rows: readonly ChildRow[], put: readonly ChildRow[]): ChildRow[] {
  const names = new Set(put.map(({ name }) => name))
  return rows.filter(({ name }) => !names.has(name))
}

function toChild(row: ChildRow): Child {
  const { folder, name, title, icon, has_children: hasChildren, is_restricted: isRestricted } = row
  const path = folder === '' ? name : `${folder}/${name}`
  return { path, name, title: title ?? undefined, ...iconMember(icon), hasChildren, isRestricted }
}

function lastSegment(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}
