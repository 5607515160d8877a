/** Marks the section that is shown in the list of a screen's sections, and keeps it over forms. */
export function followSections(screen: HTMLElement): void {
  const links = [...screen.querySelectorAll<HTMLAnchorElement>('.section-list a[href^="#"]')]
  const mark = () => {
    const current = links.find(({ hash }) => hash === location.hash) ?? links[0]
    for (const link of links) link.ariaCurrent = link === current ? 'true' : null
  }
  addEventListener('hashchange', mark)
  mark()
  // A redirect to a URL without a fragment keeps that of the request (RFC 9110, 10.2.2).
  screen.addEventListener('submit', ({ target: form }) => {
    if (!(form instanceof HTMLFormElement)) return
    const heading = form.closest('section')?.querySelector('h2')
    const [action = ''] = form.getAttribute('action')?.split('#') ?? [] // the member may be a button of that name
    const isOfScreen = action.split('/')[1] === location.pathname.split('/')[1]
    if (heading && isOfScreen) form.setAttribute('action', `${action}#${heading.id}`)
  })
}
