import { createHmac, timingSafeEqual } from 'node:crypto'
import { AppError } from '@recto/contract/errors.ts'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { findVersion } from '../../../content/files/find.ts'
import { sendFile } from '../../../content/files/send.ts'
import type { ServiceRuntime } from '../../../content/pages/ctx.ts'
import {
  countVisit,
  listSharedPages,
  type OpenShare,
  openShare,
  readSharedPage,
  type SharedPage,
} from '../../../content/pages/shares/open-share.ts'
import { sharePath } from '../../../content/pages/shares/shares.ts'
import type { ActiveShareRow } from '../../../content/pages/shares/store-shares.ts'
import { verifyPassword } from '../../../identity/people/password-hash.ts'
import { limitChecks } from '../../../identity/people/passwords.ts'
import { cookieHeader, cookieIn } from '../../../identity/sessions/session-cookie.ts'
import type { Server } from '../../../platform/http/server.ts'
import { fieldsSchema, readText } from '../fields.ts'
import { acceptForms } from '../forms.ts'
import { type Screen, sendScreen } from '../screen.ts'
import { deadLinkScreen, passwordScreen } from './reader-view.ts'
import { renderSharedPage } from './render-page.ts'

const config = { public: true, hasSecretUrl: true }
const COOKIE = 'svc_share'
const VISIT_SECONDS = 12 * 3600
const secret = Type.String({ maxLength: 100 })

/** What whoever has the secret of a share link sees: pages and their files, without an account. */
export function shareReaderRoutes(app: Server, { runtime }: { readonly runtime: ServiceRuntime }): void {
  const checkPassword = limitChecks('Too many wrong passwords for this link. Try again later.')
  acceptForms(app)
  const page = async (request: FastifyRequest, reply: FastifyReply, token: string, below: string) => {
    const answer = await openShare(runtime, token, async (share) => {
      const { row } = share
      const isVisiting = isKnown(request, row, token)
      if (!isVisiting && row.password_hash !== null) return { screen: passwordScreen(sharePath(token)) }
      const pages = await listSharedPages(share)
      const path = below === '' ? row.path : `${row.path}/${below.normalize('NFC')}`
      const sharedPage = pages.find((one) => one.path === path)
      const screen = sharedPage && (await orNotFound(() => renderPage(share, sharedPage, pages, token)))
      return { screen, newVisit: isVisiting || !screen ? undefined : row }
    })
    if (answer?.newVisit && request.method === 'GET') beginVisit(runtime, reply, answer.newVisit, token)
    return send(reply, answer?.screen ?? deadLinkScreen())
  }

  const schema = { hide: true }
  app.get('/s/:secret', { config, schema: { ...schema, params: Type.Object({ secret }) } }, (request, reply) =>
    page(request, reply, request.params.secret, ''),
  )
  const below = Type.Object({ secret, '*': Type.String() })
  app.get('/s/:secret/pages/*', { config, schema: { ...schema, params: below } }, (request, reply) =>
    page(request, reply, request.params.secret, request.params['*']),
  )
  const file = Type.Object({ secret, file: Type.String(), name: Type.String() })
  app.get('/s/:secret/files/:file/:name', { config, schema: { ...schema, params: file } }, async (request, reply) => {
    const token = request.params.secret
    const sharedFile = await openShare(runtime, token, async (share) => {
      if (share.row.password_hash !== null && !isKnown(request, share.row, token)) return undefined
      const file = await orNotFound(() => findSharedFile(share, request.params.file))
      return file && { space: share.row.space, path: file.path, version: file.version, actor: share.ctx.actor }
    })
    if (!sharedFile) return send(reply, deadLinkScreen())
    // A stream asks for the rights of the maker again, as for those of any reader.
    request.ctx = { ...runtime, actor: sharedFile.actor }
    const { space, path, version } = sharedFile
    await sendFile(request, reply, { space, path, version, bytesOnly: true })
    return reply
  })

  const form = { params: Type.Object({ secret }), body: fieldsSchema }
  app.post('/s/:secret', { config, schema: { ...schema, ...form } }, async (request, reply) => {
    const token = request.params.secret
    const row = await openShare(runtime, token, async (share) => share.row)
    const hash = row?.password_hash
    if (!row || typeof hash !== 'string') return send(reply, deadLinkScreen())
    const password = readText(request.body, 'password')
    if (!(await checkPassword(row.id, request.ip, () => verifyPassword(password, hash)))) {
      const error = new AppError('invalid_request', 'The password is not right.')
      return send(reply, { ...passwordScreen(sharePath(token), { fields: {}, error }), status: 400 })
    }
    beginVisit(runtime, reply, row, token)
    return reply.header('Cache-Control', 'no-store').redirect(sharePath(token), 303)
  })
}

function send(reply: FastifyReply, screen: Screen): FastifyReply {
  return sendScreen(reply.header('Cache-Control', 'private, no-store'), screen)
}

/** What was there a moment ago may have gone since: that is as if it never was. */
async function orNotFound<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof AppError && ['not_found', 'page_moved', 'page_deleted'].includes(error.code)) return undefined
    throw error
  }
}

/** Derived from the stored hash of the password, which nobody knows outside: only who knew the password has it. */
function visitToken(row: ActiveShareRow, token: string): Buffer {
  return createHmac('sha256', row.password_hash ?? row.id)
    .update(token)
    .digest()
}

function isKnown(request: FastifyRequest, row: ActiveShareRow, token: string): boolean {
  const value = Buffer.from(cookieIn(request.headers.cookie, COOKIE) ?? '', 'base64url')
  const expectedValue = visitToken(row, token)
  return value.length === expectedValue.length && timingSafeEqual(value, expectedValue)
}

/** Nobody waits for the count. */
function beginVisit(runtime: ServiceRuntime, reply: FastifyReply, row: ActiveShareRow, token: string): void {
  const value = visitToken(row, token).toString('base64url')
  const cookie = { name: COOKIE, value, seconds: VISIT_SECONDS, path: sharePath(token) }
  reply.header('Set-Cookie', cookieHeader(runtime.config.publicUrl, cookie))
  countVisit(runtime, row).catch((error) => runtime.log.warn({ err: error }, 'a visit of a share link was not counted'))
}

async function renderPage(share: OpenShare, page: SharedPage, pages: readonly SharedPage[], token: string) {
  const { row, ctx } = share
  const base = sharePath(token)
  const encode = (path: string) => path.split('/').map(encodeURIComponent).join('/')
  return renderSharedPage(
    share,
    { page, pages },
    {
      toPage: (path) => (path === row.path ? base : `${base}/pages/${encode(path.slice(row.path.length + 1))}`),
      toFile: (pagePath, filePath) => {
        const sealedFile = ctx.cursors.seal(sealQuery(share), [pagePath, filePath])
        return `${base}/files/${sealedFile}/${encodeURIComponent(filePath.slice(filePath.lastIndexOf('/') + 1))}`
      },
    },
  )
}

const sealQuery = ({ row }: OpenShare) => `share/${row.id}`

/** A file of a link, if the page still refers to it, and both still belong to the link. */
async function findSharedFile(share: OpenShare, sealedFile: string) {
  const [pagePath, filePath] = share.ctx.cursors.open(sealQuery(share), sealedFile) ?? []
  const page = (await listSharedPages(share)).find(({ path }) => path === pagePath)
  const files = page ? (await readSharedPage(share, page)).files : []
  const path = files.find(([, , file]) => file && file.path === filePath)?.[2]?.path
  return path === undefined ? undefined : findVersion(share.ctx, { space: share.row.space, path })
}
