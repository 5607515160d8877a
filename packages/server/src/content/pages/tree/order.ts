import { AppError, inputError } from '@recto/contract/errors.ts'
import { type PageAddress, parsePagePath, splitMarkdownSuffix } from '@recto/contract/page-address.ts'
import type { Static } from 'typebox'
import type { Ctx } from '../../../access/ctx.ts'
import { requirePlace, requireSpace } from '../../../access/space.ts'
import { toAccessSubject } from '../../../access/visibility.ts'
import { inTransaction, type Tx } from '../../../platform/database/transaction.ts'
import type { orderSchema } from '../schema.ts'
import { type Folder, listAfter, listBefore, listPut } from './children.ts'
import * as store from './store-children.ts'

/** The manually ordered names of a folder (`''`: the space); all others follow in natural order. */
export type FolderOrder = Static<typeof orderSchema>

/** The pages on which a space opens, the first that exists. A template puts it first in the tree. */
export const START_PAGES = ['index', 'home']

/** The maximum of manually ordered names in a folder. */
export const MAX_ARRANGED = 1000

/** The names that come first in a folder. */
export async function readOrder(
  ctx: Ctx,
  input: { readonly space: string; readonly folder: string },
): Promise<FolderOrder> {
  const space = await requireSpace(ctx, input.space, 'viewer')
  const folder = parseFolder(input.folder)
  const rows = await listPut(ctx, { spaceId: space.id, folder })
  return { folder, names: rows.map(({ name }) => name) }
}

/** Replaces the names that come first in a folder; without any it is in natural order. For editors. */
export async function writeOrder(ctx: Ctx, input: FolderOrder & { readonly space: string }): Promise<FolderOrder> {
  const folder = parseFolder(input.folder)
  const names = input.names.map((name) => nameWithin(parsePagePath(folder === '' ? name : `${folder}/${name}`), folder))
  if (new Set(names).size < names.length) throw invalid('names', 'has a name twice')
  const space = await requirePlace(ctx, { space: input.space, path: folder }, 'organizer')
  return inTransaction(ctx, async (tx) => {
    const order = { spaceId: space.id, folder }
    const before = await store.lockOrder.first(tx.db, order)
    await store.putOrder.all(tx.db, { ...order, names: await withHidden(tx, order, before?.names ?? [], names) })
    await tx.saveIdempotentResult({ folder, names })
    return { folder, names }
  })
}

/** Puts a page or folder after a sibling, or first in its folder. Names before it keep their places. For editors. */
export async function arrange(ctx: Ctx, input: PageAddress & { readonly after: string | null }): Promise<FolderOrder> {
  const path = parsePagePath(input.path)
  const folder = parentFolder(path)
  const space = await requirePlace(ctx, { space: input.space, path: folder }, 'organizer')
  const writtenName = nameWithin(path, folder)
  return inTransaction(ctx, async (tx) => {
    const order = { spaceId: space.id, folder }
    const storedOrder = await store.lockOrder.first(tx.db, order)
    // A folder may have a name that ends in `.md`; of a page that is no part of it.
    const isExact = await isThere(tx, order, writtenName)
    const name = isExact ? writtenName : splitMarkdownSuffix(writtenName).path
    if (input.after === name) throw invalid('after', 'is the page itself')
    if (!isExact && !(await isThere(tx, order, name)))
      throw new AppError('not_found', `There is no page or folder at \`${path}\`.`)
    const before = input.after === null ? [] : await namesUpTo(tx, order, input.after)
    const names = await withRest(tx, order, [...before.filter((other) => other !== name), name])
    if (names.length > MAX_ARRANGED) throw tooManyArranged()
    await store.putOrder.all(tx.db, { ...order, names: await withHidden(tx, order, storedOrder?.names ?? [], names) })
    await tx.saveIdempotentResult({ folder, names })
    return { folder, names }
  })
}

/** Keeps the orders of a folder and the place of its name when it moves. */
export async function moveOrder(
  tx: Ctx & Tx,
  from: { readonly spaceId: number; readonly path: string },
  to: { readonly spaceId: number; readonly path: string },
): Promise<void> {
  const orders = { spaceId: from.spaceId, from: from.path }
  await store.copyOrders.enqueue(tx.db, { ...orders, toSpaceId: to.spaceId, to: to.path })
  await store.clearOrders.enqueue(tx.db, orders)
  const folder = parentFolder(from.path)
  if (from.spaceId !== to.spaceId || folder !== parentFolder(to.path)) return
  const names = { from: nameWithin(from.path, folder), to: nameWithin(to.path, folder) }
  await store.renameInOrder.enqueue(tx.db, { spaceId: from.spaceId, folder, path: from.path, ...names })
}

async function isThere(tx: Ctx & Tx, order: Folder, name: string): Promise<boolean> {
  const [before] = await listBefore(tx, order, name, 1)
  const [found] = await listAfter(tx, order, before?.name ?? '', 1)
  return found?.name === name
}

/** The names from the start of the folder to this one. */
async function namesUpTo(tx: Ctx & Tx, order: Folder, last: string): Promise<string[]> {
  const put = (await listPut(tx, order)).map(({ name }) => name)
  if (put.includes(last)) return put.slice(0, put.indexOf(last) + 1)
  if (!(await isThere(tx, order, last))) throw invalid('after', 'is not in the same folder')
  const others = await listBefore(tx, order, last, MAX_ARRANGED + 1)
  const natural = others.map(({ name }) => name).reverse()
  return [...put, ...natural.filter((name) => !put.includes(name)), last]
}

/** The names, followed by those that were ordered manually before. */
async function withRest(tx: Ctx & Tx, order: Folder, names: readonly string[]): Promise<string[]> {
  const put = await listPut(tx, order)
  return [...new Set([...names, ...put.map(({ name }) => name)])]
}

/** The names with those that are hidden from the caller: each stays after the name that it was after. */
async function withHidden(
  tx: Ctx & Tx,
  order: Folder,
  before: readonly string[],
  names: readonly string[],
): Promise<string[]> {
  const otherNames = before.filter((name) => !names.includes(name))
  if (otherNames.length === 0) return [...names]
  const rows = await store.listHiddenNames.all(tx.db, { ...toAccessSubject(tx.actor), ...order, names: otherNames })
  const hiddenNames = new Set(rows.map(({ name }) => name))
  const mergedNames = [...names]
  let at = 0
  for (const name of before) {
    if (hiddenNames.has(name)) mergedNames.splice(at++, 0, name)
    else if (mergedNames.includes(name)) at = mergedNames.indexOf(name) + 1
  }
  return mergedNames
}

function parseFolder(folder: string): string {
  return folder === '' ? '' : parsePagePath(folder)
}

function parentFolder(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')))
}

/** The name of a path that is directly in the folder. */
function nameWithin(path: string, folder: string): string {
  const name = folder === '' ? path : path.slice(folder.length + 1)
  if (name.includes('/')) throw invalid('names', 'has a name with a slash')
  return name
}

function invalid(member: string, message: string): AppError {
  return inputError('invalid_request', `\`${member}\` ${message}.`, `/${member}`, message)
}

function tooManyArranged(): AppError {
  const text = `Only the first ${MAX_ARRANGED} names of a folder can be put in order by hand.`
  return inputError('invalid_request', text, '/after', text)
}
