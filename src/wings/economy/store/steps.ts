// Parts of statements that add rows of hours to hours, days and months. Rows of the same hour come once from `flows` and `new_payers`.

/** Adds the rows of the statement's `flows`. */
export const ADD_FLOWS = `
  add_flows AS (
    INSERT INTO economy_flows AS was (step, starts, app_id, kind, from_party, to_party, count, amount)
    SELECT step, date_trunc(step, hour, 'UTC'), app_id, kind, from_party, to_party, sum(count), sum(amount)
      FROM flows CROSS JOIN (VALUES ('hour'), ('day'), ('month')) AS steps (step) GROUP BY 1, 2, 3, 4, 5, 6
    ON CONFLICT (step, starts, app_id, kind, from_party, to_party) DO UPDATE
       SET count = was.count + excluded.count, amount = was.amount + excluded.amount)`;

/** Adds the rows of the statement's `new_payers`. */
export const ADD_NEW_PAYERS = `
  add_new_payers AS (
    INSERT INTO economy_new_payers AS was (step, starts, app_id, of_day, of_week, of_month, of_year)
    SELECT step, date_trunc(step, hour, 'UTC'), app_id, sum(of_day), sum(of_week), sum(of_month), sum(of_year)
      FROM new_payers CROSS JOIN (VALUES ('hour'), ('day'), ('month')) AS steps (step) GROUP BY 1, 2, 3
    ON CONFLICT (step, starts, app_id) DO UPDATE
       SET of_day = was.of_day + excluded.of_day, of_week = was.of_week + excluded.of_week,
           of_month = was.of_month + excluded.of_month, of_year = was.of_year + excluded.of_year)`;
