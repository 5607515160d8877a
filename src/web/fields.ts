import type { FastifyReply } from 'fastify'
import type { AppError } from '../errors.ts'
import { type Html, type HtmlValue, html, sentence, trusted } from './html.ts'

/** After a change a browser goes on with GET, so that loading the page again changes nothing. */
export function seeOther(reply: FastifyReply, address: string): FastifyReply {
  return reply.header('Cache-Control', 'no-store').redirect(address, 303)
}

export interface Field {
  readonly name: string
  readonly label: string
  readonly value?: string | undefined
  readonly type?: 'text' | 'search' | 'number' | 'password' | 'url' | 'datetime-local'
  /** Several lines. */
  readonly rows?: number
  /** Values with their texts, of which one is chosen. */
  readonly options?: readonly { readonly value: string; readonly text: string }[]
  readonly help?: HtmlValue
  /** What is wrong with the value. */
  readonly error?: string | undefined
  readonly required?: boolean
  readonly maxlength?: number
  readonly autofocus?: boolean
  readonly placeholder?: string
}

/** A labelled control with its help and what is wrong with it, each tied to it. */
export function field(f: Field): Html {
  const id = `field-${f.name}`
  const told = [f.help && `${id}-help`, f.error !== undefined && `${id}-error`].filter(Boolean).join(' ')
  const attributes = html` id="${id}" name="${f.name}"${told !== '' && html` aria-describedby="${told}"`}${f.error !== undefined && trusted(' aria-invalid="true"')}${f.required && trusted(' required')}${f.autofocus && trusted(' autofocus')}${f.maxlength !== undefined && html` maxlength="${f.maxlength}"`}${f.placeholder !== undefined && html` placeholder="${f.placeholder}"`}`
  return html`<div class="field">
<label for="${id}">${f.label}</label>
${control(f, attributes)}
${f.help && html`<p class="help" id="${id}-help">${f.help}</p>\n`}${f.error !== undefined && html`<p class="error" id="${id}-error">${f.error}</p>\n`}</div>`
}

/** A refusal above a form: what it says, and what it says of places that are no field of the form. */
export function refusalNotice(refusal: AppError, shown: readonly string[] = []): Html {
  const rest = (refusal.extras.issues ?? []).filter(({ path }) => !shown.includes(path))
  const items = rest.map(({ path, message }) => html`<li><code>${path}</code> ${sentence(message)}</li>`)
  return html`<div class="notice error" role="alert">
<p>${sentence(refusal.message)}</p>
${items.length > 0 && html`<ul>${items}</ul>`}</div>`
}

/** What a refusal says of one place, such as `/slug`. */
export function issueAt(refusal: AppError | undefined, path: string): string | undefined {
  return refusal?.extras.issues?.find((issue) => issue.path === path)?.message
}

function control({ value = '', type = 'text', rows, options }: Field, attributes: Html): Html {
  if (options) {
    const shown = options.map(
      (option) =>
        html`<option value="${option.value}"${option.value === value && trusted(' selected')}>${option.text}</option>`,
    )
    return html`<select${attributes}>${shown}</select>`
  }
  // The parser drops a line break that stands first in a text area.
  if (rows !== undefined) return html`<textarea${attributes} rows="${rows}">\n${value}</textarea>`
  return html`<input${attributes} type="${type}" value="${value}">`
}
