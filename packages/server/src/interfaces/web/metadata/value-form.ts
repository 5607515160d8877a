import { createHash } from 'node:crypto'
import { JsonError, parseJson } from '@recto/lib/json/json.ts'
import { formatTyped, parseTyped } from '../filters/state.ts'
import { msg } from '../html.ts'

/** The controls for values. */
export const KINDS = ['text', 'number', 'switch', 'list', 'json'] as const
export type Kind = (typeof KINDS)[number]

export const KIND_TEXTS: Readonly<Record<Kind, string>> = {
  text: msg('text'),
  number: msg('number'),
  switch: msg('yes or no'),
  list: msg('list, one per line'),
  json: msg('JSON'),
}

/** The control for a value. */
export function chooseKind(value: unknown): Kind {
  if (typeof value === 'string') return 'text'
  if (typeof value === 'number') return 'number'
  if (typeof value === 'boolean') return 'switch'
  return Array.isArray(value) && value.every(fitsLine) ? 'list' : 'json'
}

/** A value as the control of its kind shows it. */
export function controlText(kind: Kind, value: unknown): string {
  if (kind === 'text') return String(value)
  if (kind === 'list' && Array.isArray(value)) return value.map(formatLine).join('\n')
  return kind === 'json' ? JSON.stringify(value, null, 2) : JSON.stringify(value)
}

/** The typed value, or its issue. */
export function parseValue(kind: Kind, text: string): { readonly value: unknown } | { readonly problem: string } {
  if (kind === 'text') return { value: text }
  if (kind === 'list') return { value: splitLines(text).map(parseTyped) }
  if (kind === 'switch' && /^(?:yes|no)$/i.test(text.trim())) return { value: /yes/i.test(text) }
  const { value, problem } = parsed(text)
  if (problem !== undefined && /^The (?:number|integer) /.test(problem)) return { problem }
  if (kind === 'number' && typeof value !== 'number') return { problem: 'must be a number, such as `3` or `-1.5`' }
  if (kind === 'switch' && typeof value !== 'boolean') return { problem: 'must be yes or no' }
  if (value === undefined) return { problem: 'must be JSON' }
  // `null` deletes a key, which has its own button.
  return value === null ? { problem: 'must not be null: remove the property instead' } : { value }
}

/** Reverts the CRLF line breaks of forms (HTML, section 4.10.22.4). */
export function asSent(text: string): string {
  return text.replace(/\r\n?/g, '\n')
}

/** A digest of the value of a control, to detect changes. */
export function digestValue(kind: Kind, text: string): string {
  return createHash('sha256')
    .update(`${kind}\0${asSent(text)}`)
    .digest('base64url')
    .slice(0, 22)
}

function parsed(text: string): { readonly value?: unknown; readonly problem?: string } {
  try {
    return { value: parseJson(text) }
  } catch (error) {
    if (error instanceof JsonError) return { problem: error.message }
    throw error
  }
}

function fitsLine(element: unknown): boolean {
  return element === null || typeof element === 'number' || typeof element === 'boolean' || typeof element === 'string'
}

/** Elements that are blank or contain line breaks are written as JSON. */
function formatLine(element: unknown): string {
  return typeof element === 'string' && (element.trim() === '' || /[\r\n]/.test(element))
    ? JSON.stringify(element)
    : formatTyped(element)
}

function splitLines(text: string): string[] {
  return asSent(text)
    .split('\n')
    .filter((line) => line.trim() !== '')
}
