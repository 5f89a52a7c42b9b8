-- Every item passes through each index of the inbox three times: stored,
-- claimed, done. A credit in flight is found by its key, whatever its source,
-- so that the index of what is in flight need hold refunds alone.

ALTER TABLE inbox_event DROP CONSTRAINT inbox_event_source_key;
ALTER TABLE inbox_event ADD CONSTRAINT inbox_event_source_key UNIQUE (event_key, source);

DROP INDEX inbox_event_in_flight;
CREATE INDEX inbox_event_in_flight ON inbox_event (end_to_end_id) WHERE state = 'RECEIVED' AND about = 'refund';
