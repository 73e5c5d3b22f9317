const entities: Readonly<Record<string, string>> = {
  ...{ '&amp;': '&', '&lt;': '<', '&gt;': '>', '&nbsp;': '\u00a0', '&lrm;': '\u200e', '&rlm;': '\u200f' },
}

/** How VTT writes the signs that its tags are made of. */
export const vttEscapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

/** Text of VTT with the signs that it names. */
export const unescapeVtt = (text: string) =>
  text.replaceAll(/&(?:amp|lt|gt|nbsp|lrm|rlm);/g, (name) => entities[name] ?? name)
