import type { Client } from '../support/client.ts'
import { fc } from '../support/property.ts'

/** Folders of the space `open` that only its admins read; in `hid/seen` everybody reads again. */
export const PLACES = ['hid/x', 'hid/y', 'hid/sub/x', 'hid'] as const
export const LINKS = PLACES.map((path) => `[${path}](/pages/open/${path}) ![f](/files/open/${path})`).join(' ')
const ANY = { 'if-match': '*' }

/** What the observers may not notice: it is done in one of two services. */
export const STEPS = {
  write: (admin: Client, path: string) =>
    admin.put(`/pages/open/${path}`, `---\ntags: [hush]\n---\n# Hidden hush\n\n[page](/pages/open/page) ${LINKS}`, ANY),
  create: (admin: Client, path: string) =>
    admin.put(`/pages/open/${path}`, '# Hidden hush\n\n[page](../page.md) [none](/pages/open/none) ![f](../file)'),
  metadata: (admin: Client, path: string) =>
    admin.patch(`/pages/open/${path}/metadata`, { set: { hush: 1, template: true, shared: 'hush' } }),
  file: (admin: Client, path: string) => admin.call('PUT', `/files/open/${path}`, { body: 'Hush bytes' }),
  delete: (admin: Client, path: string) => admin.delete(`/pages/open/${path}`, ANY),
  deleteFile: (admin: Client, path: string) => admin.delete(`/files/open/${path}`, ANY),
  restore: (admin: Client, path: string) => admin.post(`/pages/open/${path}/restore`),
  purge: (admin: Client, path: string) => admin.delete(`/pages/open/${path}?purge=true`, ANY),
  move: (admin: Client, path: string) =>
    admin.post(`/pages/open/${path}/move`, { to: { path: 'hid/y' }, rewriteLinks: true }, ANY),
  moveBack: (admin: Client) => admin.post('/pages/open/hid/y/move', { to: { path: 'hid/sub/x' } }, ANY),
  moveFile: (admin: Client, path: string) =>
    admin.post(`/files/open/${path}/move`, { to: { path: 'hid/y' }, rewriteLinks: true }, ANY),
  moveFolder: (admin: Client) => admin.post('/spaces/open/move-folder', { path: 'hid/sub', to: { path: 'hid/other' } }),
  order: (admin: Client) => admin.call('PUT', '/spaces/open/order', { json: { folder: 'hid', names: ['y', 'x'] } }),
  rule: (admin: Client) =>
    admin.call('PUT', '/spaces/open/rules/hid/sub', { json: { read: [], write: [], guests: [] } }),
  noRule: (admin: Client) => admin.delete('/spaces/open/rules/hid/sub'),
} as const
export type Step = { readonly do: keyof typeof STEPS; readonly path: string }

export const step: fc.Arbitrary<Step> = fc.record({
  do: fc.constantFrom(...(Object.keys(STEPS) as (keyof typeof STEPS)[])),
  path: fc.constantFrom(...PLACES),
})
/** Whatever the steps are, there are a page, a file, metadata, and something in the trash. */
export const BEGINNING: readonly Step[] = [
  { do: 'create', path: 'hid/x' },
  { do: 'write', path: 'hid/x' },
  { do: 'metadata', path: 'hid/x' },
  { do: 'create', path: 'hid/sub/x' },
  { do: 'file', path: 'hid/x' },
  { do: 'create', path: 'hid' },
  { do: 'delete', path: 'hid' },
]
