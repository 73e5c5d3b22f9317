import { writeFile } from 'node:fs/promises'
import { PGlite } from '@electric-sql/pglite'

// Writes the data of a server without tables to a file.
await using db = await PGlite.create()
await writeFile(process.argv[2] ?? '', await (await db.dumpDataDir('none')).bytes())
