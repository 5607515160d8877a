import { Readable } from 'node:stream'
import { AppError } from '@recto/contract/errors.ts'
import type { ChosenFile } from '@recto/lib/attachment.ts'
import type { FastifyRequest } from 'fastify'
import {
  type FormFields,
  type FormPath,
  type ReceivedForm,
  receiveForm,
} from '../../../content/files/upload/multipart.ts'
import { checkFormToken } from '../../../identity/sessions/csrf.ts'
import { discardBody } from '../../../platform/http/bodies/discard-body.ts'
import type { Routes, UrlParams } from '../../../platform/http/endpoint.ts'
import type { Server } from '../../../platform/http/server.ts'
import type { Done } from '../message.ts'
import { actOrSuggest, orFormError, type Screen, sendDone, sendFailed } from '../screen.ts'

export type FileFormRequest<Url extends string> = FastifyRequest<{ Params: UrlParams<Url> }>

/** A form with files, which are stored while they arrive (`multipart/form-data`). */
interface FileForm<Url extends string> {
  /** The maximum size of a file; that of all files by default. */
  readonly maxBytes?: number
  /** As of `formRoute`. */
  readonly suggests?: string
  /** Checks that the caller may store files here, before any of them is read. */
  readonly authorize: (request: FileFormRequest<Url>) => Promise<unknown>
  /** Returns the path of a file of the form. */
  readonly choosePath: (request: FileFormRequest<Url>, fields: FormFields, file: ChosenFile) => FormPath
  readonly act: (request: FileFormRequest<Url>, form: ReceivedForm) => Promise<string | Done>
  /** Renders the form again, with its errors. */
  readonly view: (request: FileFormRequest<Url>, fields: FormFields, error: AppError) => Promise<Screen>
}

/** Adds the route of such a form. */
export function fileFormRoute<const Url extends string>(url: Url, form: FileForm<Url>): Routes<unknown> {
  return streamFormRoute(url, {
    view: form.view,
    submit: (request, body, fields) => submit(request, body, fields, form),
  })
}

/** A form whose body is read while it arrives. */
interface StreamForm<Url extends string, Deps> {
  /** Reads the body; the fields that arrived are shown again with an error. */
  readonly submit: (
    request: FileFormRequest<Url>,
    body: Readable,
    fields: FormFields,
    deps: Deps,
  ) => Promise<string | Done | Screen>
  readonly view: FileForm<Url>['view']
}

/** Adds the route of such a form, in a scope whose bodies are streams. */
export function streamFormRoute<const Url extends string, Deps>(url: Url, form: StreamForm<Url, Deps>): Routes<Deps> {
  return (app, deps) =>
    app.register(async (scope: Server) => {
      scope.removeAllContentTypeParsers()
      scope.addContentTypeParser('*', async (_request: FastifyRequest, payload: Readable) => payload)
      const config = { streamsBody: true, checksFormToken: true } as const
      scope.post(url, { config, schema: { hide: true } }, async (receivedRequest, reply) => {
        const request = receivedRequest as FileFormRequest<Url> // of this URL
        const body = receivedRequest.body instanceof Readable ? receivedRequest.body : Readable.from([])
        reply.header('Cache-Control', 'no-store')
        const fields: FormFields = new Map()
        try {
          const done = await orFormError(() => form.submit(request, body, fields, deps))
          if (!(done instanceof AppError)) return sendDone(reply, request, done)
          discardBody(request.raw, body)
          return sendFailed(reply, done, await form.view(request, fields, done))
        } catch (error) {
          discardBody(request.raw, body)
          throw error
        }
      })
    })
}

async function submit<Url extends string>(
  request: FileFormRequest<Url>,
  body: Readable,
  fields: FormFields,
  { authorize, choosePath, suggests, act, maxBytes }: FileForm<Url>,
): Promise<string | Done> {
  await authorize(request)
  await using form = await receiveForm(request.ctx, body, request.headers, {
    fields,
    maxBytes,
    checkPath(file) {
      // The token comes before the files, so that nothing of a forged form is stored.
      checkFormToken(request, fields.get('csrf'))
      if (!file.name) throw noFile()
      return choosePath(request, fields, file)
    },
  })
  checkFormToken(request, fields.get('csrf'))
  if (form.files.length === 0) throw noFile()
  await request.reauthenticate()
  // Awaited here: afterwards the form deletes what no file refers to.
  return await actOrSuggest(request, suggests, () => act(request, form))
}

function noFile(): AppError {
  return new AppError('invalid_request', 'Choose a file.')
}
