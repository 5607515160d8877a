import assert from 'node:assert/strict'
import type { Answer, Client } from '../support/client.ts'
import { fc } from '../support/property.ts'

/**
 * A space that observers cannot see in its twin either, but for its names: each service has other ones. Whatever comes
 * out of it, and whatever is seen of it while it is open, is the same in both services; so no name of before may be in
 * any response.
 */
export interface Vault {
  readonly admin: Client
  /** Of what is secret here: slugs, folders, titles and keys contain it. */
  readonly word: string
  slug: string
  shown: boolean
}

export type Crossing = (typeof CROSSINGS)[number]

const ANY = { 'if-match': '*' }
/** Its slug and the folder of its pages while the space is open. */
export const OPEN_SLUG = 'shown'
const KEPT = 'kept'

export async function makeVault(admin: Client, word: string): Promise<Vault> {
  const vault = { admin, word, slug: `${word}-1`, shown: false }
  await admin.space(vault.slug, { name: 'Vault', visibility: 'private' })
  await STEPS.rename(vault)
  return vault
}

const folderOf = ({ word, shown }: Vault) => (shown ? KEPT : word)

function moveFolder({ admin, slug }: Vault, path: string, to: object): Promise<Answer> {
  return admin.post(`/spaces/${slug}/move-folder`, { path, to, rewriteLinks: true })
}

function move(vault: Vault, kind: 'pages' | 'files', from: string, to: object): Promise<Answer> {
  return vault.admin.post(`/${kind}/${from}/move`, { to }, ANY)
}

/** What happens at the border of the vault, with the statuses that both services answer. */
const STEPS = {
  /** Three pages and a file, where there are none; one page links to the others. */
  write: async (vault: Vault) => {
    const { admin, slug } = vault
    const folder = folderOf(vault)
    return [
      await admin.put(`/pages/${slug}/${folder}/page`, '# Arrived\n\n[b](./sub/b.md) [file](./file)'),
      await admin.patch(`/pages/${slug}/${folder}/page/metadata`, { set: { arrived: 1 } }),
      await admin.put(`/pages/${slug}/${folder}/sub/a`, '# Arrived A\n\n[page](../page.md)'),
      await admin.put(`/pages/${slug}/${folder}/sub/b`, '# Arrived B'),
      await admin.call('PUT', `/files/${slug}/${folder}/file`, { body: 'Arrived bytes' }),
      await admin.call('PUT', `/files/${slug}/${folder}/sub/file`, { body: 'Arrived bytes below' }),
    ]
  },
  pageOut: async (vault: Vault) => [
    await move(vault, 'pages', `${vault.slug}/${folderOf(vault)}/page`, { space: 'open', path: 'arrived' }),
  ],
  pageIn: async (vault: Vault) => [
    await move(vault, 'pages', 'open/arrived', { space: vault.slug, path: `${folderOf(vault)}/page` }),
  ],
  fileOut: async (vault: Vault) => [
    await move(vault, 'files', `${vault.slug}/${folderOf(vault)}/file`, { space: 'open', path: 'arrived' }),
  ],
  fileIn: async (vault: Vault) => [
    await move(vault, 'files', 'open/arrived', { space: vault.slug, path: `${folderOf(vault)}/file` }),
  ],
  folderOut: async (vault: Vault) => [
    await moveFolder(vault, `${folderOf(vault)}/sub`, { space: 'open', path: 'arrived-sub' }),
  ],
  folderIn: async (vault: Vault) => [
    await moveFolder({ ...vault, slug: 'open' }, 'arrived-sub', { space: vault.slug, path: `${folderOf(vault)}/sub` }),
  ],
  /** Deletes for good what nobody ever saw; other pages and files take the place of it. */
  purge: async (vault: Vault) => {
    if (vault.shown) return []
    const { admin, slug, word } = vault
    const answers: Answer[] = []
    for (const path of [`${word}/purged`, 'again']) {
      answers.push(
        await admin.put(`/pages/${slug}/${path}`, `# Title ${word}`),
        await admin.patch(`/pages/${slug}/${path}/metadata`, { set: { [word]: word } }),
        await admin.delete(`/pages/${slug}/${path}?purge=true`, ANY),
        await admin.call('PUT', `/files/${slug}/${path}`, { body: `Bytes ${word}` }),
        await admin.delete(`/files/${slug}/${path}?purge=true`, ANY),
      )
    }
    return [
      ...answers,
      await admin.put(`/pages/${slug}/again`, '# Again'),
      await admin.call('PUT', `/files/${slug}/again`, { body: 'Again' }),
      await admin.delete(`/pages/${slug}/again`, ANY),
      await admin.delete(`/pages/${slug}/again?purge=true`, ANY),
      await admin.put(`/pages/${slug}/again`, '# Again, too'),
    ]
  },
  /** Ends the pages and files of `purge` for good, so that it can be done again. */
  clear: async ({ admin, slug }: Vault) => [
    await admin.delete(`/pages/${slug}/again?purge=true`, ANY),
    await admin.delete(`/files/${slug}/again?purge=true`, ANY),
  ],
  rename: async (vault: Vault) =>
    vault.shown ? [] : rename(vault, `${vault.slug.slice(0, -1)}${+(vault.slug.at(-1) === '1') + 1}`),
  /** Opens the space to the organisation, when nothing in it has a secret name any more. */
  show: async (vault: Vault) => {
    if (vault.shown) return []
    const answers = [await moveFolder(vault, vault.word, { path: KEPT }), ...(await rename(vault, OPEN_SLUG))]
    vault.shown = true
    return [...answers, await vault.admin.patch(`/spaces/${vault.slug}`, { visibility: 'org' })]
  },
  hide: async (vault: Vault) => {
    if (!vault.shown) return []
    const closed = await vault.admin.patch(`/spaces/${vault.slug}`, { visibility: 'private' })
    vault.shown = false
    return [closed, ...(await rename(vault, `${vault.word}-1`)), await moveFolder(vault, KEPT, { path: vault.word })]
  },
}

async function rename(vault: Vault, slug: string): Promise<Answer[]> {
  const answer = await vault.admin.patch(`/spaces/${vault.slug}`, { slug })
  if (answer.status === 200) vault.slug = slug
  return [answer]
}

const CROSSINGS = Object.keys(STEPS) as (keyof typeof STEPS)[]

export const crossings: fc.Arbitrary<Crossing[]> = fc.array(fc.constantFrom(...CROSSINGS), {
  minLength: 3,
  maxLength: 8,
})

/**
 * Every round has these: something comes out of a hidden space, and one with a past is opened. The next one begins with
 * it open.
 */
export const FIRST_CROSSINGS: readonly Crossing[] = [
  'hide',
  'write',
  'pageOut',
  'fileOut',
  'folderOut',
  'clear',
  'purge',
]
export const LAST_CROSSINGS: readonly Crossing[] = ['rename', 'show']

/** Does the same in both services, with the same result. Returns the statuses. */
export async function cross(vaults: readonly Vault[], crossing: Crossing): Promise<readonly number[]> {
  const [one, two] = await Promise.all(
    vaults.map(async (vault) => (await STEPS[crossing](vault)).map(({ status }) => status)),
  )
  assert.ok(one)
  assert.deepEqual(one, two, crossing)
  return one
}
