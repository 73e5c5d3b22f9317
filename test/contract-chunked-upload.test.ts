import { describe, expect, it } from 'vitest'
import type * as z from 'zod'
import { errorTable, isErrorCode, MediaError } from '../src/contract/errors.ts'
import { fileRecord } from '../src/contract/file.ts'
import { readBody } from '../src/contract/validation.ts'
import {
  maxListedMissing,
  partRange,
  partBytes,
  partCount,
  sessionHours,
  toSessionTimestamp,
  uploadAborted,
  uploadInit,
  uploadPart,
  uploadPartQuery,
  uploadSession,
  uploadInitResult,
  uploadStatus,
} from '../src/contract/upload.ts'
import * as table from './contract/chunked-upload.ts'
import { fileRecordFields } from './contract/common.ts'
import { changed, fieldsOf } from './contract/laws.ts'

// Document 1, 4.2 and 2.6: compares the tables of chunked uploads with the code.

const responses: readonly [string, z.ZodType, object][] = [
  ['session', uploadSession, table.sessionFields],
  ['part', uploadPart, table.partFields],
  ['part query', uploadPartQuery, table.partQueryFields],
  ['status', uploadStatus, table.statusFields],
  ['abort', uploadAborted, table.abortedFields],
  ['complete', fileRecord, fileRecordFields],
]

it.each(responses)('%s has the documented fields', (_, schema, fields) => {
  expect(fieldsOf(schema)).toEqual(fields)
})

it('init returns a session, the status of an open one, or the file record and `instant`', () => {
  const [instant, open, session] = uploadInitResult.options
  // Our extension, returned by the local service only.
  const extensions = { local_import: 'boolean, optional' }
  expect(fieldsOf(session)).toEqual({ ...table.sessionFields, ...extensions })
  expect(fieldsOf(open)).toEqual({ ...table.statusFields, ...extensions })
  expect(fieldsOf(instant)).toEqual({ ...fileRecordFields, ...table.instantFields })
})

describe('init', () => {
  const code = (body: unknown): number => {
    try {
      readBody(uploadInit, body, { filename: 'a.mp4', size: 1 })
      return 200
    } catch (error) {
      if (error instanceof MediaError) return error.code
      throw error
    }
  }

  it('has the documented fields and no others', () => {
    const written = table.initParameters.map(({ at, type, required }) => [
      at,
      required ? type : `${type}, optional`,
    ])
    expect(fieldsOf(uploadInit, '', 'input')).toEqual(Object.fromEntries(written))
  })

  it.each(table.initParameters)('$at', ({ at, required, accepts = [], refuses = [] }) => {
    for (const missingValue of [undefined, null]) {
      expect(code(changed(table.initSmallest, at, missingValue))).toBe(required ? 6013 : 200)
    }
    expect(accepts.filter((value) => code(changed(table.initSmallest, at, value)) !== 200)).toEqual([])
    expect(refuses.filter((value) => code(changed(table.initSmallest, at, value)) !== 6016)).toEqual([])
  })
})

it('limits: part size, lifetime of a session, number of missing parts listed', () => {
  expect(partBytes).toBe(table.chunkLimits.partBytes)
  expect(sessionHours).toBe(table.chunkLimits.sessionHours)
  expect(maxListedMissing).toBe(table.chunkLimits.listedMissing)
})

it('total_parts is ceil(size / part_size), and the last part is the remainder', () => {
  const cut = (size: number) => {
    const count = partCount({ size, partSize: 10 })
    return Array.from({ length: count }, (_, index) => partRange({ size, partSize: 10 }, index).size)
  }
  expect(cut(1)).toEqual([1])
  expect(cut(10)).toEqual([10])
  expect(cut(11)).toEqual([10, 1])
  expect(cut(29)).toEqual([10, 10, 9])
  expect(partRange({ size: 29, partSize: 10 }, 2)).toEqual({ offset: 20, size: 9 })
})

it('expires_at is UTC, as YYYY-MM-DD HH:MM:SS', () => {
  const moment = toSessionTimestamp(Date.UTC(2026, 0, 2, 3, 4, 5, 678))
  expect(moment).toBe('2026-01-02 03:04:05')
  expect(moment).toMatch(table.expiresAtForm)
  expect(uploadSession.shape.expires_at.safeParse(moment).success).toBe(true)
})

it.each(table.chunkedRefusals)('$code has status $status', ({ code, status }) => {
  expect(isErrorCode(code) && errorTable[code].status).toBe(status)
})
