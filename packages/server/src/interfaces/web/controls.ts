import { MAX_PASSWORD_LENGTH } from '../../identity/people/password-rules.ts'
import { translateDetail, translateIssue } from '../../platform/language/details.ts'
import { readText, readTexts } from './fields.ts'
import { CSRF_FIELD } from './forms.ts'
import { type Html, type HtmlValue, html, msg, sentence, t, trusted } from './html.ts'
import type { FailedForm } from './screen.ts'

const UNCHANGED = msg('Nothing was changed.')

/** The common properties of controls in forms. */
interface Control {
  readonly name: string
  readonly label: string
  /** Unique in the document; the name by default. */
  readonly id?: string
  readonly value?: string
  readonly help?: string
  readonly required?: boolean
  /** The submitted value, and its error. */
  readonly failed?: FailedForm | undefined
}

interface TextControl extends Control {
  readonly maxLength?: number
  readonly placeholder?: string
  /** Whether it gets the focus (`autofocus`). */
  readonly autofocus?: boolean
  readonly type?: 'text' | 'email' | 'url' | 'search' | 'datetime-local' | 'number'
  readonly pattern?: string
  readonly autocomplete?: string
  readonly rows?: number
  readonly list?: readonly string[]
}

export interface Choice {
  readonly value: string
  readonly text: string
  readonly help?: string
}

/** Choices of a table, whose texts are messages. */
export function translateChoices(choices: readonly Choice[]): readonly Choice[] {
  return choices.map(({ value, text, help }) => ({
    value,
    text: t(text),
    ...(help !== undefined && { help: t(help) }),
  }))
}

/** A labelled line of text, or several lines if `rows` is given. */
export function textField(control: TextControl): Html {
  const { name, id = name, required, maxLength, rows, failed, list } = control
  const value = failed ? readText(failed.fields, name) : (control.value ?? '')
  const problem = findProblem(failed, name)
  const common = trusted(
    html` id="${id}" name="${name}"`.text +
      (required ? ' required' : '') +
      (control.autofocus ? ' autofocus' : '') +
      (control.placeholder === undefined ? '' : html` placeholder="${control.placeholder}"`.text) +
      (maxLength === undefined ? '' : ` maxlength="${maxLength}"`) +
      described(id, control.help, problem).text,
  )
  const input =
    rows === undefined
      ? html`<input dir="auto" type="${control.type ?? 'text'}"${common} value="${value}"${
          control.pattern !== undefined && html` pattern="${control.pattern}"`
        } autocomplete="${control.autocomplete ?? 'off'}"${list !== undefined && html` list="${id}-known"`}>`
      : html`<textarea dir="auto" rows="${rows}"${common}>
${value}</textarea>`
  return html`<div class="field">
<label for="${id}">${control.label}${!required && html` <span class="quiet">${t('optional')}</span>`}</label>
${input}
${
  list &&
  html`<datalist id="${id}-known">${list.map(
    (optionValue) => html`<option value="${optionValue}"></option>`,
  )}</datalist>`
}
${notes(id, control.help, problem)}
</div>`
}

/** A labelled password, whose value is never rendered. */
export function passwordField(control: Omit<Control, 'value'> & { readonly autocomplete: string }): Html {
  const { name, id = name, failed } = control
  const problem = findProblem(failed, name)
  return html`<div class="field">
<label for="${id}">${control.label}</label>
<input id="${id}" name="${name}" type="password" autocomplete="${control.autocomplete}"
  maxlength="${MAX_PASSWORD_LENGTH}" required${described(id, control.help, problem)}>
${notes(id, control.help, problem)}
</div>`
}

/** A labelled list to choose one from. */
export function selectField(control: Control & { readonly choices: readonly Choice[] }): Html {
  const { name, id = name, failed } = control
  const value = failed ? readText(failed.fields, name) : control.value
  const problem = findProblem(failed, name)
  return html`<div class="field">
<label for="${id}">${control.label}</label>
<select id="${id}" name="${name}"${described(id, control.help, problem)}>
${control.choices.map(
  (choice) =>
    html`<option value="${choice.value}"${choice.value === value && trusted(' selected')}>${choice.text}</option>\n`,
)}</select>
${notes(id, control.help, problem)}
</div>`
}

/** A select in a row of filters; its label is for screen readers. */
export function renderChoice(
  name: string,
  label: string,
  value: string | undefined,
  options: readonly (readonly [string, string])[],
): Html {
  return html`<select class="input" name="${name}" aria-label="${label}">${options.map(
    ([key, text]) => html`<option value="${key}"${key === (value ?? '') && trusted(' selected')}>${text}</option>`,
  )}</select>`
}

/** A group of check boxes; they are sent as `name[]`. */
export function checkBoxes(
  control: Omit<Control, 'value'> & { readonly values: readonly string[]; readonly choices: readonly Choice[] },
): Html {
  const { name, id = name, failed } = control
  const values = failed ? readTexts(failed.fields, name) : control.values
  return choices({ ...control, id, type: 'checkbox', sent: `${name}[]`, values })
}

/** A group of radio buttons. */
export function radioButtons(control: Control & { readonly choices: readonly Choice[] }): Html {
  const { name, id = name, failed } = control
  const value = failed ? readText(failed.fields, name) : (control.value ?? '')
  return choices({ ...control, id, type: 'radio', sent: name, values: [value] })
}

function choices(
  group: Control & {
    readonly id: string
    readonly type: 'checkbox' | 'radio'
    readonly sent: string
    readonly values: readonly string[]
    readonly choices: readonly Choice[]
  },
): Html {
  const { id, type, sent, values } = group
  const problem = findProblem(group.failed, group.name)
  return html`<fieldset class="choices"${described(id, group.help, problem)}>
<legend>${group.label}</legend>
${group.choices.map(
  ({ value, text, help }, index) => html`<label class="check"><input type="${type}" id="${id}-${index}" name="${sent}"
    value="${value}"${values.includes(value) && trusted(' checked')}${
      help !== undefined && html` aria-describedby="${id}-${index}-help"`
    }><span>${text}${
      help !== undefined && html`<span class="help" id="${id}-${index}-help">${help}</span>`
    }</span></label>
`,
)}${notes(id, group.help, problem)}
</fieldset>`
}

export function hidden(name: string, value: string): Html {
  return html`<input type="hidden" name="${name}" value="${value}">`
}

/** The error of a form, above it. */
export function errorNotice(failed: FailedForm | undefined): Html | undefined {
  if (!failed) return undefined
  const { message } = failed.error
  // Some say themselves that nothing was changed.
  const text = message.endsWith(UNCHANGED) ? message.slice(0, -UNCHANGED.length).trimEnd() : message
  return html`<p class="notice error" role="alert">${sentence(`${translateDetail(text)} ${t(UNCHANGED)}`)}</p>`
}

/** The outcome after the redirect. */
export function doneNotice(text: HtmlValue, kind: 'success' | 'error' = 'success'): Html | undefined {
  return text === undefined ? undefined : html`<p class="notice ${kind}" role="status">${text}</p>`
}

/** A form that consists of a button. */
export function buttonForm(form: {
  readonly action: string
  readonly text: string
  /** A longer label for screen readers. */
  readonly label?: string
  readonly fields?: Readonly<Record<string, string>>
  readonly look?: 'danger' | 'primary' | 'small'
}): Html {
  const fields = Object.entries(form.fields ?? {}).map(([name, value]) => hidden(name, value))
  return html`<form class="inline" method="post" action="${form.action}">
${CSRF_FIELD}${fields}<button type="submit" class="button${form.look !== undefined && ` ${form.look}`}"${
    form.label !== undefined && html` aria-label="${form.label}"`
  }>${form.text}</button></form>`
}

/** A button that asks for confirmation first. */
export function confirmed(form: {
  readonly action: string
  readonly text: string
  readonly about: string
  readonly warning: HtmlValue
  readonly sure: string
  readonly fields?: Readonly<Record<string, string>>
}): Html {
  const { action, fields = {} } = form
  return html`<details class="confirm">
<summary>${form.text}<span class="visually-hidden"> ${form.about}</span></summary>
<div>
<p>${form.warning}</p>
${buttonForm({ action, fields, text: form.sure, label: `${form.sure}: ${form.about}`, look: 'danger' })}
</div>
</details>`
}

function findProblem(failed: FailedForm | undefined, name: string): string | undefined {
  const issue = failed?.error.extras.issues?.find(({ path }) => path.replace(/^\//, '').split('/')[0] === name)
  return issue && translateIssue(issue.message)
}

function described(id: string, help: string | undefined, problem: string | undefined): Html {
  const ids = [help !== undefined && `${id}-help`, problem !== undefined && `${id}-problem`].filter(Boolean)
  return html`${
    ids.length > 0 && html` aria-describedby="${ids.join(' ')}"`
  }${problem !== undefined && trusted(' aria-invalid="true"')}`
}

function notes(id: string, help: string | undefined, problem: string | undefined): Html {
  return html`${
    help !== undefined && html`<p class="help" id="${id}-help">${sentence(help)}</p>\n`
  }${problem !== undefined && html`<p class="error" id="${id}-problem">${problem}</p>\n`}`
}
