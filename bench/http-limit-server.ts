/**
 * The process that answers for `http-limit.ts`: the service's HTTP framework with an empty handler, and with one that reads a row by a
 * prepared statement. It ends when its parent has gone.
 */
import fastify from 'fastify';
import pg from 'pg';

const pool = new pg.Pool({ connectionString: process.argv[2]!, max: 16 });
const app = fastify();
const response = {
  200: { type: 'object', properties: { id: { type: 'string' }, name: { type: 'string' }, amount: { type: 'string' } } },
};
app.get('/empty', { schema: { response } }, async () => ({ id: 'one', name: 'Ada', amount: '500' }));
app.get<{ Params: { id: string } }>('/rows/:id', { schema: { response } }, async ({ params }) => {
  const { rows } = await pool.query({
    name: 'row',
    text: 'SELECT id, name, amount FROM limit_rows WHERE id = $1',
    values: [params.id],
  });
  return rows[0];
});
await app.listen({ host: '127.0.0.1', port: 0 });
const address = app.server.address();
process.send?.(typeof address === 'object' && address?.port);
process.on('disconnect', () => process.exit(1));
