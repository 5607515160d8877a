import { json, type RouteRules } from './rule.ts'

const STALE = { 'if-match': '"9999"' }

/** Files of a space: each has the file `file`. */
export const FILE_RULES: RouteRules = {
  'GET /spaces/:slug/files': { rule: 'viewer', send: () => ({ query: 'limit=200' }) },
  'GET /spaces/:slug/files/trash': { rule: 'viewer' },
  'GET /files/:space/:path': { rule: 'viewer', params: { path: 'file' } },
  'GET /files/:space/:path (object)': {
    rule: 'viewer',
    params: { path: 'file' },
    send: () => ({ headers: { accept: 'application/json' } }),
  },
  'GET /files/:space/:path (variant)': {
    rule: 'viewer',
    params: { path: 'file' },
    send: () => ({ query: 'width=320' }),
    ok: [422],
  },
  'GET /files/:space/:path (deleted)': { rule: 'viewer', params: { path: 'gone' }, ok: [410] },
  'GET /files/:space/:path/versions': { rule: 'viewer', params: { path: 'file' } },
  'PUT /files/:space/:path': {
    rule: 'editor',
    params: { path: 'file' },
    send: ({ marker }) => ({ body: `File ${marker}`, headers: { 'if-match': '*' } }),
  },
  'POST /files/:space': { rule: 'editor', send: json({}), ok: [415] },
  'DELETE /files/:space/:path': {
    rule: 'editor',
    params: { path: 'file' },
    send: () => ({ headers: STALE }),
    ok: [412],
  },
  'DELETE /files/:space/:path (for good)': {
    rule: 'admin',
    params: { path: 'file' },
    send: () => ({ query: 'purge=true', headers: STALE }),
    ok: [412],
  },
  'POST /files/:space/:path/move': {
    rule: 'editor',
    params: { path: 'file' },
    send: () => ({ json: { to: { path: 'elsewhere' } }, headers: STALE }),
    ok: [412],
  },
  'POST /files/:space/:path/restore': { rule: 'editor', params: { path: 'file' }, ok: [409] },
}
