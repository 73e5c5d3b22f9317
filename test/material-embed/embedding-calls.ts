import { expect } from 'vitest'
import type { Api, ApiResponse } from '../service/api.ts'

export const type = 'material_embed'

export interface Embeddings {
  readonly data: readonly {
    readonly index: number
    readonly embedding: number[]
    readonly normalized: true
  }[]
  readonly usage: { readonly texts: number; readonly images: number; readonly total: number }
  readonly engine: string
  readonly space: string
}

export type Item = Readonly<Record<string, unknown>>

export const embed = (
  calls: Api,
  input: readonly Item[],
  more: object = {},
): Promise<ApiResponse<Embeddings>> =>
  calls.create(type, { input, ...more }) as unknown as Promise<ApiResponse<Embeddings>>

/** Vectors of a request that succeeds. */
export async function vectors(calls: Api, input: readonly Item[], more: object = {}): Promise<number[][]> {
  const { code, msg, data } = await embed(calls, input, more)
  expect([code, msg]).toEqual([200, 'success'])
  return data.data.map(({ embedding }) => embedding)
}

export const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64')
