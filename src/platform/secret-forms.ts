/**
 * Returns a secret in the encodings in which other programs quote it: plain, JSON with and without escapes of every
 * character, URL-encoded in part or whole, hexadecimal, base64 and base64url at any offset in a longer text, each also
 * reversed and within a JSON string. Letters of escapes and of hexadecimal digits are in both cases. Longest first, so that no form leaves a part
 * of another.
 */
export function secretForms(secret: string): readonly string[] {
  const bytes = Buffer.from(secret)
  const hex = bytes.toString('hex')
  const digits = bytesOfHex(hex)
  const forms = [
    secret,
    JSON.stringify(secret).slice(1, -1),
    encodeURIComponent(secret),
    hex,
    ...[' ', ':', '-'].map((separator) => digits.join(separator)),
    digits.map((digit) => `%${digit}`).join(''),
    digits.map((digit) => `\\x${digit}`).join(''),
    Array.from({ length: secret.length }, (_, at) => unicodeEscape(secret.charCodeAt(at))).join(''),
    ...[0, 1, 2].flatMap((offset) => base64Forms(bytes, offset)),
  ]
  const cased = forms.flatMap((form) => [form, upperCaseDigits(form, secret)])
  const all = cased.flatMap((form) => [form, [...form].toReversed().join('')])
  const quoted = all.map((form) => JSON.stringify(form).slice(1, -1))
  return [...new Set([...all, ...quoted])].toSorted((one, other) => other.length - one.length)
}

function unicodeEscape(unit: number): string {
  return `\\u${unit.toString(16).padStart(4, '0')}`
}

function bytesOfHex(hex: string): string[] {
  return hex.match(/../g) ?? []
}

/** Returns a form with upper-case hexadecimal digits; the secret itself and base64 have case of their own. */
function upperCaseDigits(form: string, secret: string): string {
  if (form === secret) return form
  return /^(?:[\da-f]{2}[ :-]?)+$/.test(form)
    ? form.toUpperCase()
    : form.replaceAll(
        /(%|\\x|\\u)([\da-f]+)/g,
        (_, mark: string, digits: string) => mark + digits.toUpperCase(),
      )
}

/**
 * Returns base64 and base64url of a secret that starts at an offset of 0 to 2 bytes in a group of three. Characters that
 * depend on bytes before or after it are left out.
 */
function base64Forms(bytes: Buffer, offset: number): string[] {
  const padded = Buffer.concat([Buffer.alloc(offset), bytes])
  const first = offset === 0 ? 0 : offset + 1
  const whole = Math.floor((padded.length * 8) / 6)
  return (['base64', 'base64url'] as const).map((encoding) => padded.toString(encoding).slice(first, whole))
}
