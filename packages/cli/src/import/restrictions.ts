/**
 * Page restrictions of Confluence as folder rules (`recto import --restrictions`), from a list of all pages as its REST
 * API gives it. What is not certain stays closed: a page that is not in the list is not imported, nor a file that no
 * imported page shows; who is not matched with an account or a group is left out.
 */
import { readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { unescape as unescapeUrl } from 'node:querystring'
import type { Operations } from '@recto/client/openapi-operations.ts'
import { isJsonObject } from '@recto/lib/json/json.ts'
import { analysePage } from '@recto/markdown/analyse.ts'
import type { Vault } from '@recto/markdown/extensions/wikilinks.ts'
import { CommandError } from '../command.ts'
import { pathProblem } from '../folder-sync/entry.ts'
import { oneLine } from '../table.ts'
import { readBody } from './import-page.ts'
import type { Found, MarkdownFile } from './markdown-files.ts'

/** The ids of who is on a list, groups as `group <id>`; undefined: whoever reads, or writes, what is above. */
type Names = ReadonlySet<string> | undefined

const GROUP = 'group '

/** A page in Confluence. Users and groups are `user <e-mail address or name>` and `group <name>`. */
interface Content {
  readonly id: string
  readonly title: string
  /** The ids of the pages above. */
  readonly above: readonly string[]
  readonly read: readonly string[]
  readonly update: readonly string[]
}

/** What is at a path, and who may read and write it. */
interface Place {
  readonly path: string
  readonly read: Names
  readonly write?: Names
}

/** The rules that an import needs before its pages, what may be imported under them, and what to tell about it. */
export interface RulePlan {
  readonly folderContent: Found
  readonly report: string
  setRules(space: string): Promise<void>
}

/** Plans the folder rules of an import. They let nobody read what rules of the space hide; undefined: a new space. */
export async function planRules(
  file: string,
  operations: Operations,
  { space, folderContent, vault }: { space: string | undefined; folderContent: Found; vault: Vault | undefined },
): Promise<RulePlan> {
  const contents = readContents(file)
  const lists = await createLists(contents, operations)
  const findContents = createFinder(contents)
  const rejected = [...folderContent.rejected]
  const wantedPlaces: Place[] = []
  const readersByTarget = new Map<string, Names>()
  const files = folderContent.files.filter((page) => {
    const [content, another] = findContents(page.path)
    if (!content || another) {
      rejected.push({ name: page.name, reason: `${another ? 'several pages' : 'no page'} of ${file} can be meant` })
      return false
    }
    const read = lists.listReaders(content)
    wantedPlaces.push({ path: page.path, read, write: lists.toNames(content, content.update) })
    for (const path of listTargets(page, vault)) {
      readersByTarget.set(path, lists.narrow(readersByTarget.get(path), read))
    }
    return true
  })
  const attachments = folderContent.attachments.filter(({ name, path }) => {
    const target = path.normalize('NFC')
    const isLinked = readersByTarget.has(target)
    if (isLinked) wantedPlaces.push({ path, read: readersByTarget.get(target) })
    else rejected.push({ name, reason: 'no imported page shows it, so that nobody knows who may read it' })
    return isLinked
  })
  const rules = space === undefined ? [] : await operations.spaces.rules.list(space).toArray()
  const places = placeRules(wantedPlaces, rules, lists)
  const toText = (verb: string, names: Names) =>
    names ? [`${verb} by ${[...names].map(lists.toLabel).join(', ') || 'admins of the space alone'}`] : []
  const ruleLines = places.map(
    ({ path, read, write }) => `${path}: ${[...toText('read', read), ...toText('written', write)].join('; ')}`,
  )
  const lines = [...ruleLines, ...lists.notes].map((line) => `  ${oneLine(line)}\n`)
  return {
    folderContent: { ...folderContent, files, attachments, rejected },
    report: `Folder rules: ${places.length}.\n${lines.join('')}`,
    // Those above first.
    async setRules(space) {
      for (const { path, read, write } of places)
        await operations.spaces.rules.set(space, path, { read: toEntries(read), write: toEntries(write) })
    },
  }
}

function toEntries(names: Names) {
  const toEntry = (id: string) => (id.startsWith(GROUP) ? { group: id.slice(GROUP.length) } : { principal: id })
  return names ? [...names].map(toEntry) : 'inherit'
}

function readContents(file: string): Content[] {
  try {
    const json: unknown = JSON.parse(readFileSync(file, 'utf8'))
    // One answer, or several of one list.
    const contents = [json].flat().flatMap((answer) => pick(answer, 'results') ?? answer)
    return contents.map(toContent)
  } catch (error) {
    throw new CommandError(`${file} is no list of Confluence pages with restrictions: ${(error as Error).message}`)
  }
}

function pick(value: unknown, ...names: readonly string[]): unknown {
  return names.reduce((inner, name) => (isJsonObject(inner) ? inner[name] : undefined), value)
}

function toContent(value: unknown): Content {
  const [title, above] = [pick(value, 'title'), pick(value, 'ancestors')]
  if (typeof title !== 'string' || !Array.isArray(above)) throw new Error('a page lacks `title` or `ancestors`')
  const toList = (operation: 'read' | 'update') =>
    ['user', 'group'].flatMap((kind) => {
      const results = pick(value, 'restrictions', operation, 'restrictions', kind, 'results')
      if (!Array.isArray(results))
        throw new Error(`\`${title}\` lacks \`restrictions.${operation}.restrictions.${kind}\``)
      const members = ['email', 'displayName', 'publicName', 'name', 'username', 'accountId']
      return results.map((each) => `${kind} ${members.map((name) => pick(each, name)).find(Boolean)}`)
    })
  const aboveIds = above.map((each) => String(pick(each, 'id')))
  return { id: String(pick(value, 'id')), title, above: aboveIds, read: toList('read'), update: toList('update') }
}

/** People by their e-mail address, or by name where Confluence gives none, and groups by name. */
async function readDirectory({ principals, groups }: Operations, names: ReadonlySet<string>) {
  const labels = new Map<string, string>()
  const keysByName = new Map<string, string[]>()
  const add = (name: string, key: string) => keysByName.set(name, [...(keysByName.get(name) ?? []), key])
  for (const { id, name, email, kind, guest, disabled } of await principals.list().toArray()) {
    if (kind !== 'human' || guest || disabled) continue
    labels.set(id, name)
    // People choose their names, but not the e-mail address of somebody else.
    if (!name.includes('@')) add(`user ${name.toLowerCase()}`, id)
    if (email) add(`user ${email}`, id)
  }
  for (const { id, name } of await groups.list().toArray()) {
    labels.set(GROUP + id, `${name} (group)`)
    add(`group ${name.toLowerCase()}`, GROUP + id)
  }
  const findKey = (name: string) => {
    const [key, another] = keysByName.get(name.trim().toLowerCase()) ?? []
    return another === undefined ? key : undefined
  }
  const members = new Map<string, ReadonlySet<string>>()
  for (const key of new Set([...names].map(findKey))) {
    if (!key?.startsWith(GROUP)) continue
    const list = await groups.members.list(key.slice(GROUP.length)).toArray()
    members.set(key, new Set(list.map(({ principal }) => principal.id)))
  }
  return { findKey, labels, members }
}

/** In Confluence who reads a page is on the lists of all pages above as well; here the nearest list decides. */
async function createLists(contents: readonly Content[], operations: Operations) {
  const names = new Set(contents.flatMap(({ read, update }) => [...read, ...update]))
  const { findKey, labels, members } = await readDirectory(operations, names)
  const byId = new Map(contents.map((content) => [content.id, content]))
  const notes = new Set<string>()
  const toLabel = (key: string) => labels.get(key) ?? key
  // A group is covered by groups that have all its members now.
  const covers = (list: ReadonlySet<string>, key: string): boolean => {
    if (list.has(key)) return true
    const isInGroup = (id: string) => [...list].some((other) => members.get(other)?.has(id))
    const own = members.get(key)
    return own ? own.size > 0 && [...own].every(isInGroup) : isInGroup(key)
  }
  /** Who is on both lists. Groups stay groups where the second list names them. */
  const narrow = (above: Names, names: Names): Names => {
    if (!above || !names) return above ?? names
    const people = [...above].filter((key) => !members.has(key) && covers(names, key))
    return new Set([...[...names].filter((key) => covers(above, key)), ...people])
  }
  const toNames = ({ title }: Content, list: readonly string[]): Names => {
    const keys = list.map((name) => [name, findKey(name)] as const)
    for (const [name, key] of keys)
      if (!key) notes.add(`${title}: without the ${name}, who is no one account or group here`)
    return list.length === 0 ? undefined : new Set(keys.flatMap(([, key]) => key ?? []))
  }
  const listReaders = (content: Content): Names => {
    const above = content.above.map((id) => {
      const page = byId.get(id)
      if (!page) notes.add(`${content.title}: closed, since a page above it is not in the list`)
      return page ? toNames(page, page.read) : new Set<string>()
    })
    const own = toNames(content, content.read)
    const readers = [...above, own].reduce(narrow, undefined)
    const missing = [...(own ?? [])].filter((key) => !readers?.has(key))
    for (const key of missing) notes.add(`${content.title}: of ${toLabel(key)} only who reads the pages above, too`)
    return readers
  }
  return { notes, narrow, toLabel, toNames, listReaders }
}

/** Finds pages by the name of a file: the title, the id, or both, with other signs for those that no name can have. */
function createFinder(contents: readonly Content[]): (path: string) => readonly Content[] {
  const listWords = (text: string) => text.normalize('NFC').match(/[\p{L}\p{M}\p{N}]+/gu) ?? []
  const toName = (text: string) => listWords(text).join(' ').toLowerCase()
  const byName = new Map<string, Content[]>()
  for (const content of contents) {
    for (const name of new Set([content.title, content.id, `${content.title} ${content.id}`].map(toName))) {
      byName.set(name, [...(byName.get(name) ?? []), content])
    }
  }
  return (path) => byName.get(toName(posix.basename(path))) ?? []
}

/** The paths that links and images of a page lead to, relative to its folder. */
function listTargets(page: MarkdownFile, vault: Vault | undefined): ReadonlySet<string> {
  try {
    const { links, images } = analysePage(Buffer.from(readBody(page, vault)).toString('utf8'))
    const hrefs = [...links, ...images].map(({ href }) => unescapeUrl(href.replace(/[?#].*$/s, '')))
    return new Set(hrefs.map((href) => posix.join(posix.dirname(page.path), href).normalize('NFC')))
  } catch {
    return new Set() // the import will say why the file cannot be read
  }
}

type StoredRule = Awaited<ReturnType<ReturnType<Operations['spaces']['rules']['list']>['toArray']>>[number]

/** The rules that are needed in addition to those of a space: a folder with one keeps it. */
function placeRules(
  wantedPlaces: readonly Place[],
  storedRules: readonly StoredRule[],
  { narrow, notes }: Awaited<ReturnType<typeof createLists>>,
): Place[] {
  const readersByPath = new Map<string, Names>()
  const findAbove = (path: string): Names => {
    const folder = posix.dirname(path)
    return readersByPath.has(folder) || folder === '.' ? readersByPath.get(folder) : findAbove(folder)
  }
  for (const rule of storedRules) readersByPath.set(rule.prefix, toReaders(rule, findAbove(rule.prefix)))
  const toText = (names: Names) => names && [...names].sort().join()
  const places: Place[] = []
  for (const place of wantedPlaces.toSorted((a, b) => (a.path < b.path ? -1 : 1))) {
    const path = place.path.normalize('NFC')
    const above = findAbove(path)
    const read = narrow(above, place.read)
    if (readersByPath.has(path)) {
      if (place.read && toText(readersByPath.get(path)) !== toText(read))
        notes.add(`${path}: keeps the rule that it has`)
    } else if ((place.write || toText(read) !== toText(above)) && !pathProblem({ kind: 'page', path })) {
      readersByPath.set(path, read)
      places.push({ path, read, write: place.write && narrow(read, place.write) })
    }
  }
  return places
}

/** Who reads by a stored rule: who writes does so, too. */
function toReaders({ read, write, guests }: StoredRule, above: Names): Names {
  if (read === 'inherit' && !above) return undefined
  const entries = [read, write].flatMap((list) => (list === 'inherit' ? [] : list))
  const ids = entries.map(({ principal, group }) => principal?.id ?? `${GROUP}${group?.id}`)
  return new Set([...(read === 'inherit' ? (above ?? []) : []), ...ids, ...guests.map(({ principal }) => principal.id)])
}
