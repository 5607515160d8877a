import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Static, type TSchema, Type } from 'typebox'
import { AppError } from '../errors.ts'
import { statusOf } from '../http/problem.ts'
import { INTEGER, validatorCompiler } from '../http/validation.ts'
import { type Layout, layout } from './layout.ts'

/** What a view makes: a document without the frame that all of them share. */
export type Screen = Layout

/** The fields of a form as they were sent. */
export type Fields = Readonly<Record<string, string | string[]>>

/** The body of every form route: what the fields may hold is decided by the schema of the deed. */
export const fieldsSchema = Type.Record(Type.String(), Type.Union([Type.String(), Type.Array(Type.String())]))

/** What a form shows again after a refusal. */
export interface Attempt {
  readonly fields: Fields
  readonly error: AppError
}

const MENDABLE = new Set([400, 409, 413])

/** Whether whoever filled in the form can mend what was refused. */
export function isMendable(error: unknown): error is AppError {
  return error instanceof AppError && MENDABLE.has(statusOf(error.code))
}

/** Answers with a screen for one caller. */
export function sendScreen(reply: FastifyReply, screen: Screen): FastifyReply {
  return sendDocument(reply, layout(screen))
}

/** The same for a screen that is a document already. */
export function sendDocument(reply: FastifyReply, document: string, status = reply.statusCode): FastifyReply {
  return reply.code(status).type('text/html; charset=utf-8').send(document)
}

/** The text of a field, empty where it was not sent. */
export function textOf(fields: Fields, name: string): string {
  const value = fields[name]
  return typeof value === 'string' ? value : ''
}

/** The whole number of a field, as strictly as parameters are read; NaN, which no schema takes, where it is none. */
export function numberOf(fields: Fields, name: string): number {
  const text = textOf(fields, name)
  return INTEGER.test(text) ? Number(text) : Number.NaN
}

/** The texts of a field that may stand more than once. */
export function textsOf(fields: Fields, name: string): string[] {
  return [fields[name] ?? []].flat()
}

/** Those of the named fields in which something was typed. */
export function filled<K extends string>(fields: Fields, ...names: K[]): Partial<Record<K, string>> {
  const entries = names.map((name) => [name, textOf(fields, name).trim()] as const)
  return Object.fromEntries(entries.filter(([, value]) => value !== '')) as Partial<Record<K, string>> // as filtered
}

/** The input of a deed, by the very schema that validates it on the HTTP API; refuses with `invalid_request`. */
export function checked<T extends TSchema>(schema: T, input: unknown): Static<T> {
  const validate = validatorCompiler({ schema, method: 'POST', url: '', httpPart: 'body' })
  if (validate(input)) return input as Static<T> // it was validated
  const issues = (validate.errors ?? []).map(({ instancePath = '', message = 'is not valid' }) => ({
    path: instancePath,
    message,
  }))
  const [first] = issues
  const name = first?.path.slice(1) || 'The form'
  throw new AppError('invalid_request', `${name} ${first?.message ?? 'is not valid'}.`, { issues })
}

/**
 * Does what a form asks for, then sends the browser to the address that `act` gives. A refusal that can be mended is
 * answered with the form again, in which nothing typed is lost.
 */
export async function submitForm(
  request: FastifyRequest,
  reply: FastifyReply,
  form: {
    readonly act: () => Promise<string>
    readonly again: (attempt: Attempt) => Promise<Screen> | Screen
  },
): Promise<FastifyReply> {
  try {
    return reply.redirect(await form.act(), 303)
  } catch (error) {
    if (!isMendable(error)) throw error
    const screen = await form.again({ fields: request.body as Fields, error: error }) // of a form route
    return sendScreen(reply.code(statusOf(error.code)), screen)
  }
}
