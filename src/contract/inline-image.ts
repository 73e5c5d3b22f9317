import * as z from 'zod'
import { MarkedFields, type MarkedValue } from './marked-fields.ts'

/** Largest inline image, decoded bytes: 1 MiB (contract 3, 4.2 and 4.3). */
export const maxInlineImageBytes = 2 ** 20

/** Largest image that a file id may name where images are understood or embedded, bytes: 10 MiB. */
export const maxNamedImageBytes = 10 * 2 ** 20

const inlineImages = new MarkedFields<{ readonly isInline: true }>()

/**
 * Declares an input field with an image as base64, also as a data URI. On receipt, the service stores the image and
 * replaces the text by the BLAKE3 of its bytes: the id under which `plan` and `run` find it among the files.
 */
export function inlineImage() {
  const schema = z
    .string()
    .min(1)
    .describe('Image as base64, or a data URI: JPEG, PNG, BMP or WebP, at most 1 MiB decoded')
  inlineImages.add(schema, { isInline: true })
  return schema
}

/** Whether inputs of a schema may contain inline images. */
export function mayHaveInlineImages(schema: z.ZodType): boolean {
  return inlineImages.mayContain(schema)
}

/** Finds the inline images in a value, in order. */
export function findInlineImages(schema: z.ZodType, value: unknown): MarkedValue[] {
  return [...inlineImages.find(schema, value)]
}
