-- Bytes can be in an S3 bucket, in an object that is named by the upload. A constant default changes no row.
alter table blob add column in_s3 boolean not null default false;
alter table blob_upload add column in_s3 boolean not null default false;
-- The multipart upload of the bucket, while it is not complete.
alter table blob_upload add column multipart_id text;
