/** Text that is HTML already. */
export class Html {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

type Part = string | number | Html | false | undefined | readonly Part[]

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Template tag for HTML: what is put in is escaped unless it is HTML itself; false and undefined are left out. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return new Html(String.raw({ raw: strings }, ...parts.map(written)))
}

function written(part: Part): string {
  if (part instanceof Html) return part.text
  if (part === false || part === undefined) return ''
  if (typeof part === 'object') return part.map(written).join('')
  return String(part).replaceAll(/[&<>"']/g, (character) => entities[character] ?? '')
}
