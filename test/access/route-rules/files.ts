import { html, json, type RouteRules } from './rule.ts'

const STALE = { 'if-match': '"9999"' }

/** Files of a space: each has the file `file`. */
export const FILE_RULES: RouteRules = {
  'GET /spaces/:space/files': { rule: 'viewer', send: () => ({ query: 'limit=200' }) },
  'GET /spaces/:space/files/trash': { rule: 'viewer' },
  'GET /files/:space/:path': { rule: 'viewer', visitors: true, params: { path: 'file' } },
  'GET /files/:space/:path (object)': {
    rule: 'viewer',
    visitors: true,
    params: { path: 'file' },
    send: () => ({ headers: { accept: 'application/json' } }),
  },
  'GET /files/:space/:path (variant)': {
    rule: 'viewer',
    visitors: true,
    params: { path: 'file' },
    send: () => ({ query: 'width=320' }),
    ok: [422],
  },
  'GET /files/:space/:path (deleted)': { rule: 'viewer', visitors: [404], params: { path: 'gone' }, ok: [410] },
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

/** Screens for files. */
export const WEB_FILE_RULES: RouteRules = {
  'GET /browse-files/:slug': { rule: 'viewer', send: html },
  'GET /file/:space/*': { rule: 'viewer', params: { path: 'file' }, send: html },
  'POST /rename-file/:space/*': {
    rule: 'editor',
    params: { path: 'file' },
    send: json({ version: '9999', path: 'elsewhere' }),
    ok: [412],
  },
  'POST /delete-file/:space/*': {
    rule: 'editor',
    params: { path: 'file' },
    send: json({ version: '9999' }),
    ok: [412],
  },
  'POST /replace-file/:space/*': { rule: 'editor', params: { path: 'file' }, send: json({}), ok: [415] },
  'GET /upload/:slug': { rule: 'editor', send: html },
  'POST /upload/:slug': { rule: 'editor', send: json({}), ok: [415] },
  'GET /export/:slug': { rule: 'viewer', send: html },
  'GET /export/:slug/download': {
    rule: 'viewer',
    send: () => ({ query: 'format=zip&history=1&job=0196f3f0-0000-7000-8000-000000000000' }),
  },
  'GET /import/:slug': { rule: 'editor', send: html },
  'POST /import/:slug': { rule: 'editor', send: json({}), ok: [415] },
  'GET /trash/:slug/files': { rule: 'viewer', send: html },
  'POST /trash/:slug/files/restore': { rule: 'editor', send: json({ path: 'file' }), ok: [409] },
  'POST /trash/:slug/files/purge': { rule: 'admin', send: json({ path: 'file' }), ok: [428] },
}
