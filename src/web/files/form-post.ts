import { Readable } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import type { Static, TObject } from 'typebox'
import { checkFormToken } from '../../access/sessions/csrf.ts'
import { AppError } from '../../errors.ts'
import {
  type FormFields,
  type FormPath,
  type ReceivedForm,
  receiveForm,
} from '../../files/upload/multipart.ts'
import { discardBody } from '../../http/bodies/discard-body.ts'
import type { Routes } from '../../http/endpoint.ts'
import type { Server } from '../../http/server.ts'
import type { ChosenFile } from '../../lib/attachment.ts'
import type { Done } from '../message.ts'
import { orFormError, type Screen, sendDone, sendFailed } from '../screen.ts'

export type FileFormRequest<P extends TObject> = FastifyRequest<{ Params: Static<P> }>

/** A form with files, which are stored while they arrive (`multipart/form-data`). */
interface FileForm<P extends TObject> {
  readonly params: P
  /** The maximum size of a file; that of all files by default. */
  readonly maxBytes?: number
  /** Checks that the caller may store files here, before any of them is read. */
  readonly authorize: (request: FileFormRequest<P>) => Promise<unknown>
  /** Returns the path of a file of the form. */
  readonly pathOf: (request: FileFormRequest<P>, fields: FormFields, file: ChosenFile) => FormPath
  readonly act: (request: FileFormRequest<P>, form: ReceivedForm) => Promise<string | Done>
  /** Renders the form again, with its errors. */
  readonly view: (request: FileFormRequest<P>, fields: FormFields, error: AppError) => Promise<Screen>
}

/** Adds the route of such a form. */
export function fileFormRoute<P extends TObject>(url: string, form: FileForm<P>): Routes<unknown> {
  const { params, view } = form
  return streamFormRoute<P, unknown>(url, {
    params,
    view,
    submit: (request, body, fields) => submit(request, body, fields, form),
  })
}

/** A form whose body is read while it arrives. */
interface StreamForm<P extends TObject, Deps> {
  readonly params: P
  /** Reads the body; the fields that arrived are shown again with an error. */
  readonly submit: (
    request: FileFormRequest<P>,
    body: Readable,
    fields: FormFields,
    deps: Deps,
  ) => Promise<string | Done | Screen>
  readonly view: FileForm<P>['view']
}

/** Adds the route of such a form, in a scope whose bodies are streams. */
export function streamFormRoute<P extends TObject, Deps>(
  url: string,
  form: StreamForm<P, Deps>,
): Routes<Deps> {
  return (app, deps) =>
    app.register(async (scope: Server) => {
      scope.removeAllContentTypeParsers()
      scope.addContentTypeParser('*', async (_request: FastifyRequest, payload: Readable) => payload)
      const config = { streamsBody: true, checksFormToken: true } as const
      scope.post(url, { config, schema: { hide: true, params: form.params } }, async (received, reply) => {
        const request = received as FileFormRequest<P> // validated by the schema
        const body = received.body instanceof Readable ? received.body : Readable.from([])
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

async function submit<P extends TObject>(
  request: FileFormRequest<P>,
  body: Readable,
  fields: FormFields,
  { authorize, pathOf, act, maxBytes }: FileForm<P>,
): Promise<string | Done> {
  await authorize(request)
  await using form = await receiveForm(request.ctx, body, request.headers, {
    fields,
    maxBytes,
    pathOf(file) {
      // The token comes before the files, so that nothing of a forged form is stored.
      checkFormToken(request, fields.get('csrf'))
      if (!file.name) throw noFile()
      return pathOf(request, fields, file)
    },
  })
  checkFormToken(request, fields.get('csrf'))
  if (form.files.length === 0) throw noFile()
  await request.reauthenticate()
  // Awaited here: afterwards the form deletes what no file refers to.
  return await act(request, form)
}

function noFile(): AppError {
  return new AppError('invalid_request', 'Choose a file.')
}
