import { ICON_PATHS, type IconName } from '../../icon-paths.ts'
import { t } from './t.ts'

const SVG = 'http://www.w3.org/2000/svg'
/** Their start is where that of the text is. */
const MIRRORED: ReadonlySet<IconName> = new Set(['bullets', 'indent', 'outdent'])

/** Shows an icon on a control. Its name is for assistive technology and the tooltip, which says its key too. */
export function showIcon<T extends HTMLElement>(control: T, icon: IconName, name: string, key?: string): T {
  control.ariaLabel = name
  control.title = key === undefined ? name : `${name} (${formatKey(key)})`
  control.append(drawIcon(icon))
  return control
}

export function drawIcon(name: IconName): SVGSVGElement {
  const drawing = document.createElementNS(SVG, 'svg')
  drawing.setAttribute('class', MIRRORED.has(name) ? 'icon mirrored' : 'icon')
  drawing.setAttribute('viewBox', '0 0 24 24')
  drawing.setAttribute('aria-hidden', 'true')
  const path = document.createElementNS(SVG, 'path')
  path.setAttribute('d', ICON_PATHS[name])
  drawing.append(path)
  return drawing
}

/** `Mod-Shift-x` as keyboards name it. */
function formatKey(key: string): string {
  return key
    .replace('Mod', nameControl())
    .replaceAll('-', ' ')
    .replace(/\b\w$/, (letter) => letter.toUpperCase())
}

export function nameControl(): string {
  return /Mac|iPhone|iPad/.test(navigator.platform) ? '⌘' : t('Ctrl')
}
