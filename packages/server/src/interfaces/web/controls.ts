import { MAX_PASSWORD_LENGTH } from '../../identity/people/password-rules.ts'
import { translateDetail, translateIssue } from '../../platform/language/details.ts'
import { readText, readTexts } from './fields.ts'
import { CSRF_FIELD } from './forms.ts'
import { type Html, type HtmlValue, html, msg, sentence, t, trusted } from './html.ts'
import type { FailedForm } from './screen.ts'

const UNCHANGED = msg('Nothing was changed.')

/** The common properties of controls in forms, besides their name and their label. */
interface Control {
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
export function textField(name: string, label: string, control: TextControl = {}): Html {
  const { id = name, required, maxLength, rows, failed, list } = control
  const value = failed ? readText(failed.fields, name) : (control.value ?? '')
  const common = trusted(
    html` id="${id}" name="${name}"`.text +
      (required ? ' required' : '') +
      (control.autofocus ? ' autofocus' : '') +
      (control.placeholder === undefined ? '' : html` placeholder="${control.placeholder}"`.text) +
      (maxLength === undefined ? '' : ` maxlength="${maxLength}"`) +
      describe(name, control).text,
  )
  const input =
    rows === undefined
      ? html`<input dir="auto" type="${control.type ?? 'text'}"${common} value="${value}"${
          control.pattern !== undefined && html` pattern="${control.pattern}"`
        } autocomplete="${control.autocomplete ?? 'off'}"${list !== undefined && html` list="${id}-known"`}>`
      : html`<textarea dir="auto" rows="${rows}"${common}>
${value}</textarea>`
  const dataList =
    list && html`\n<datalist id="${id}-known">${list.map((each) => html`<option value="${each}"></option>`)}</datalist>`
  const labelHtml = html`${label}${!required && html` <span class="quiet">${t('optional')}</span>`}`
  return field(name, labelHtml, control, html`${input}${dataList}`)
}

/** A labelled password, whose value is never rendered. */
export function passwordField(
  name: string,
  label: string,
  control: Omit<Control, 'value'> & { readonly autocomplete: string },
): Html {
  const input = html`<input id="${control.id ?? name}" name="${name}" type="password"
  autocomplete="${control.autocomplete}" maxlength="${MAX_PASSWORD_LENGTH}" required${describe(name, control)}>`
  return field(name, label, control, input)
}

/** A labelled list to choose one from. */
export function selectField(
  name: string,
  label: string,
  control: Control & { readonly choices: readonly Choice[] },
): Html {
  const { failed, choices } = control
  const value = failed ? readText(failed.fields, name) : control.value
  const options = renderOptions(
    choices.map((choice) => [choice.value, choice.text]),
    value,
  )
  return field(
    name,
    label,
    control,
    html`<select id="${control.id ?? name}" name="${name}"${describe(name, control)}>
${options}</select>`,
  )
}

function field(name: string, label: HtmlValue, control: Control, input: Html): Html {
  return html`<div class="field">
<label for="${control.id ?? name}">${label}</label>
${input}
${notes(name, control)}
</div>`
}

/** The options of a select, of which the one with this value is chosen. */
export function renderOptions(
  options: readonly (readonly [value: string, text: HtmlValue])[],
  current: string | undefined,
): Html {
  return html`${options.map(
    ([value, text]) => html`<option value="${value}"${value === current && trusted(' selected')}>${text}</option>\n`,
  )}`
}

/** A select in a row of filters; its label is for screen readers. */
export function renderChoice(
  name: string,
  label: string,
  value: string | undefined,
  options: readonly (readonly [string, string])[],
): Html {
  return html`<select class="input" name="${name}" aria-label="${label}">
${renderOptions(options, value ?? '')}</select>`
}

/** A group of check boxes; they are sent as `name[]`. */
export function checkBoxes(
  name: string,
  label: string,
  control: Omit<Control, 'value'> & { readonly values: readonly string[]; readonly choices: readonly Choice[] },
): Html {
  const { failed } = control
  const values = failed ? readTexts(failed.fields, name) : control.values
  return choices(name, label, { ...control, type: 'checkbox', sent: `${name}[]`, values })
}

/** A group of radio buttons. */
export function radioButtons(
  name: string,
  label: string,
  control: Control & { readonly choices: readonly Choice[] },
): Html {
  const { failed } = control
  const value = failed ? readText(failed.fields, name) : (control.value ?? '')
  return choices(name, label, { ...control, type: 'radio', sent: name, values: [value] })
}

function choices(
  name: string,
  label: string,
  group: Control & {
    readonly type: 'checkbox' | 'radio'
    readonly sent: string
    readonly values: readonly string[]
    readonly choices: readonly Choice[]
  },
): Html {
  const { id = name, type, sent, values } = group
  return html`<fieldset class="choices"${describe(name, group)}>
<legend>${label}</legend>
${group.choices.map(
  ({ value, text, help }, index) => html`<label class="check"><input type="${type}" id="${id}-${index}"
    name="${sent}" value="${value}"${values.includes(value) && trusted(' checked')}${
      help !== undefined && html` aria-describedby="${id}-${index}-help"`
    }><span>${text}${
      help !== undefined && html`<span class="help" id="${id}-${index}-help">${help}</span>`
    }</span></label>
`,
)}${notes(name, group)}
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
export function buttonForm(
  action: string,
  text: string,
  form: {
    /** A longer label for screen readers. */
    readonly label?: string
    readonly fields?: Readonly<Record<string, string>>
    readonly look?: 'danger' | 'primary' | 'small'
  } = {},
): Html {
  const { label, fields = {}, look } = form
  const inputs = Object.entries(fields).map(([name, value]) => hidden(name, value))
  return html`<form class="inline" method="post" action="${action}">
${CSRF_FIELD}${inputs}<button type="submit" class="button${look !== undefined && ` ${look}`}"${
    label !== undefined && html` aria-label="${label}"`
  }>${text}</button></form>`
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
  const { action, about, sure, fields = {} } = form
  return html`<details class="confirm">
<summary>${form.text}<span class="visually-hidden"> ${about}</span></summary>
<div>
<p>${form.warning}</p>
${buttonForm(action, sure, { fields, label: `${sure}: ${about}`, look: 'danger' })}
</div>
</details>`
}

function findProblem(name: string, { failed }: Control): string | undefined {
  const issue = failed?.error.extras.issues?.find(({ path }) => path.replace(/^\//, '').split('/')[0] === name)
  return issue && translateIssue(issue.message)
}

/** The attributes of a control that name its help and its problem, which `notes` shows. */
function describe(name: string, control: Control): Html {
  const { id = name, help } = control
  const hasProblem = findProblem(name, control) !== undefined
  const ids = [help !== undefined && `${id}-help`, hasProblem && `${id}-problem`].filter(Boolean)
  return html`${
    ids.length > 0 && html` aria-describedby="${ids.join(' ')}"`
  }${hasProblem && trusted(' aria-invalid="true"')}`
}

function notes(name: string, control: Control): Html {
  const { id = name, help } = control
  const problem = findProblem(name, control)
  return html`${
    help !== undefined && html`<p class="help" id="${id}-help">${sentence(help)}</p>\n`
  }${problem !== undefined && html`<p class="error" id="${id}-problem">${problem}</p>\n`}`
}
