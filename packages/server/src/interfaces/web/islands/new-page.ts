/** Suggests the path of a new page from its title, until a path is typed. */
import { pathName } from '@recto/lib/text/path-name.ts'

const form = document.querySelector<HTMLFormElement>('form.new-page')
const title = form?.querySelector<HTMLInputElement>('input[name="title"]')
const path = form?.querySelector<HTMLInputElement>('input[name="path"]')
const parent = form?.querySelector<HTMLInputElement>('input[name="parent"]')?.value ?? ''
const picker = document.querySelector<HTMLFormElement>('form.template-picker')

if (title && path) {
  let isOwn = path.value === '' || path.value === suggestion(title.value)
  const place = form?.querySelector('.path summary span')
  const show = () => place?.replaceChildren(path.value)
  const suggest = () => {
    if (isOwn) path.value = suggestion(title.value)
    show()
  }
  // The title may have been typed before this script was loaded.
  suggest()
  title.addEventListener('input', suggest)
  path.addEventListener('input', () => {
    isOwn = path.value === ''
    show()
  })
}

// Choosing a template submits the form with what was typed so far.
picker?.querySelector('select')?.addEventListener('change', () => picker.requestSubmit())
picker?.querySelector<HTMLElement>('button')?.setAttribute('hidden', '')
picker?.addEventListener('submit', () => {
  for (const name of ['title', 'path']) {
    const [from, to] = [form, picker].map((each) => each?.querySelector<HTMLInputElement>(`input[name="${name}"]`))
    if (from && to) to.value = from.value
  }
})

// `{{date}}` of a template is the day of the person; without script it is that of UTC.
form?.addEventListener('formdata', ({ formData }) => {
  if (!formData.has('template')) return
  const now = new Date()
  formData.set(
    'variables.date',
    [
      String(now.getFullYear()).padStart(4, '0'),
      String(now.getMonth() + 1).padStart(2, '0'),
      String(now.getDate()).padStart(2, '0'),
    ].join('-'),
  )
})

function suggestion(words: string): string {
  const name = pathName(words)
  return name === '' ? '' : [parent.replace(/^\/+|\/+$/g, ''), name].filter((part) => part !== '').join('/')
}
